// The schemas of a document. Ajv compiles each at its first use, by its JSON pointer. A schema that several operations
// share is compiled once. A schema can be recursive.
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Convert, NumberConversion } from "./int64.ts";
import { numberKeywords } from "./number-keywords.ts";
import { type Part, unescapeToken } from "./part.ts";
import { type KeywordOptions, prepareSchema, type Schema } from "./schema-keywords.ts";

const documentId = "document";

// Keywords that Ajv knows, but of whose schemas the numbers would not be exact.
const otherKeywords = new Set(["definitions", "dependencies", "$dynamicRef", "$recursiveRef"]);

/** The result of a validation: the value with exact numbers and default values, or the errors of Ajv. */
export type Validation = { readonly value: unknown } | { readonly errors: readonly ErrorObject[] };

/** Validates a value. */
export type Validate = (value: unknown) => Validation;

/** The schemas of one document. */
export class Schemas {
  readonly #ajv = createAjv();
  readonly #root: Part;
  // The schemas at their places, without the rest of the document.
  readonly #prepared: Record<string, unknown> = { __proto__: null, $id: documentId };
  readonly #targets = new Set<string>(); // the pointers of all references
  readonly #isValid: boolean;
  readonly #conversion: NumberConversion;

  /** `root` is the document. `isValid` means that the syntax of its schemas was checked before. */
  constructor(root: Part, isValid = false) {
    this.#root = root;
    this.#isValid = isValid;
    this.#conversion = new NumberConversion(root, (pointer) => (value) => this.#validatorAt(pointer)(value) as boolean);
  }

  /**
   * Adds the schema at a place of the document. Throws an Error that names the place if the schema is invalid, or if a
   * part of it would not be enforced. `onExtension` is called for each specification extension.
   */
  add(schema: Schema, pointer: string, onExtension?: KeywordOptions["onExtension"]): void {
    if (!this.#isValid) this.#checkSyntax(schema, pointer);
    const prepared = prepareSchema(schema, pointer, {
      isKeyword: (name) => this.#ajv.RULES.keywords[name] === true && !otherKeywords.has(name),
      isFormat: (name) => Object.hasOwn(this.#ajv.formats, name),
      resolve: (target) => this.#root.find(target).resolve().value as Schema,
      reject: (place, reason) => {
        throw new Error(`The schema at ${place} ${reason}.`);
      },
      onExtension,
      onReference: (target) => this.#targets.add(target),
    });
    const tokens = pointer.split("/").slice(1);
    const last = tokens.pop() as string;
    let parent = this.#prepared;
    for (const token of tokens) {
      parent[unescapeToken(token)] ??= Object.create(null);
      parent = parent[unescapeToken(token)] as Record<string, unknown>;
    }
    parent[unescapeToken(last)] = prepared;
  }

  /** Adds the targets of references that are in no place of a schema. Call it when all schemas are added. */
  addTargets(): void {
    for (const target of this.#targets)
      if (!this.#has(target)) this.add(this.#root.find(target).value as Schema, target);
    this.#ajv.addSchema(this.#prepared, undefined, undefined, false);
  }

  // Against the meta-schema of JSON Schema 2020-12.
  #checkSyntax(schema: Schema, pointer: string): void {
    if (typeof schema !== "object" || this.#ajv.validateSchema(schema)) return;
    const reason = this.#ajv.errorsText(this.#ajv.errors?.slice(0, 1), { dataVar: "" }).trim();
    throw new Error(`The document is invalid: the schema at ${pointer} has a syntax error: ${reason}.`);
  }

  #has(pointer: string): boolean {
    let part: unknown = this.#prepared;
    for (const token of pointer.split("/").slice(1))
      part = (part as Record<string, unknown> | undefined)?.[unescapeToken(token)];
    return part !== undefined;
  }

  /**
   * Returns the validation of an object whose properties have the schemas at these pointers, and no others. Compiles it at
   * its first call.
   */
  compileObject(pointers: ReadonlyMap<string, string>, required: readonly string[]): Validate {
    const properties = Object.fromEntries([...pointers].map(([name, pointer]) => [name, { $ref: toUri(pointer) }]));
    const schema = { type: "object", properties, required, additionalProperties: false };
    const conversions = [...pointers].flatMap(([name, pointer]) => {
      const convert = this.#conversion.at(pointer);
      return convert ? [[name, convert] as const] : [];
    });
    const convert = (value: unknown) => {
      const values = value as Record<string, unknown>;
      for (const [name, convert] of conversions) if (name in values) values[name] = convert(values[name]);
      return values;
    };
    return createValidate(() => this.#ajv.compile(schema), convert);
  }

  /** Returns the validation of the schema at a place of the document. Compiles it at its first call. */
  compileAt(pointer: string): Validate {
    return createValidate(() => this.#validatorAt(pointer), this.#conversion.at(pointer));
  }

  /** Returns the validation of a value that is not changed: without conversions and default values. */
  compileCheckAt(pointer: string): Validate {
    const validate = createValidate(() => this.#validatorAt(pointer));
    return (value) => {
      const result = validate(structuredClone(value));
      return "value" in result ? { value } : result;
    };
  }

  #validatorAt(pointer: string): ValidateFunction {
    return this.#ajv.getSchema(toUri(pointer)) as ValidateFunction;
  }
}

const tooDeep: ErrorObject = {
  keyword: "depth",
  instancePath: "",
  schemaPath: "",
  params: {},
  message: "must not be nested so deeply",
};

function createValidate(compile: () => ValidateFunction, convert: Convert = (value) => value): Validate {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile();
    try {
      return validate(value) ? { value: convert(value) } : { errors: validate.errors as ErrorObject[] };
    } catch {
      return { errors: [tooDeep] }; // a RangeError: the stack is too small for a recursive schema
    }
  };
}

function createAjv(): Ajv2020 {
  // Not the strict mode of Ajv, which also rejects valid schemas: a keyword without `type` beside it.
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    validateSchema: false,
    useDefaults: true,
    verbose: true,
    addUsedSchema: false,
  });
  addFormats.default(ajv, { keywords: false });
  for (const definition of numberKeywords) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  // Enforced by numericType. On another type, the format is unknown.
  delete ajv.formats.int64;
  ajv.removeKeyword("nullable"); // of OpenAPI 3.0; in 3.1, it is type: [string, "null"]
  return ajv;
}

// As a URI fragment (RFC 6901, section 6).
function toUri(pointer: string): string {
  return `${documentId}#${pointer.split("/").map(encodeURIComponent).join("/")}`;
}
