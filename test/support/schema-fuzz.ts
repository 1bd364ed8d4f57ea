// A differential fuzz test of the evaluator of schemas against Ajv: random schemas of all keywords, nested and with references, and
// random values.
import { hash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Schemas } from "../../src/openapi/schema/schemas.ts";

type Json = Record<string, unknown>;

/** The result of a fuzz test. */
export interface SchemaFuzzReport {
  /** Distinct documents. */
  readonly documents: number;
  readonly values: number;
  readonly invalid: number;
  /** The schemas and values that both judge differently. */
  readonly differences: readonly string[];
}

const isRecursive = /"(y\d)":(?:(?!"y\d":).)*\/\1"/; // refers to itself

// Ajv is wrong about these: see "Own evaluator of schemas" in docs/decisions.md.
const isWrongInAjv = (text: string) =>
  (text.includes('"contains"') &&
    /"(prefixItems|items|allOf|patternProperties|additionalProperties|\$ref)"/.test(text)) ||
  /"contains".*"contains"/.test(text) ||
  (text.includes('"unevaluated') && /"(contains|constructor|if|dependentSchemas|oneOf)"/.test(text)) ||
  (text.includes('"unevaluatedItems"') && text.includes('"anyOf"')) ||
  (text.includes('"unevaluated') && isRecursive.test(text));

const names = ["a", "b", "c", "ab", "x1", "constructor"];
const texts = ["", "a", "b", "ab", "aa", "abc", "x1", "2020-01-02", "💩", "1.5"];
const numbers = [0, 1, 2, 3, -1, 0.5, 1.5, 10, 1e3, 0.1, 100];
const types = [
  "string",
  "number",
  "integer",
  "object",
  "array",
  "boolean",
  "null",
  ["string", "null"],
  ["object", "array"],
];
const others = ["y0", "y1", "y2", "y3"]; // the names of further schemas
const valuesOfSchema = 40;
const referenceTo = (name: string) => `#/components/schemas/${name}`;

/** Creates random schemas and values, the same for the same seed. */
class Generator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  // Mulberry32.
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }

  #list<T>(min: number, max: number, create: () => T): T[] {
    return Array.from({ length: min + this.#below(max - min + 1) }, create);
  }

  #map<T>(create: () => T, keys: readonly string[] = names): Record<string, T> {
    return Object.fromEntries(this.#list(1, 3, () => [this.#pick(keys), create()]));
  }

  value(depth = 3): unknown {
    const kind = depth === 0 ? 0 : this.#below(10);
    if (kind < 5) return this.#pick<unknown>([...numbers, ...numbers, ...texts, ...texts, true, false, null, [], {}]);
    if (kind < 7) return this.#list(0, 3, () => this.value(depth - 1));
    return this.#map(() => this.value(depth - 1));
  }

  /** Creates a schema, and those that it refers to. */
  schemas(): Json {
    const schemas: Json = {};
    for (const waiting = ["x"]; waiting.length > 0; ) {
      const name = waiting.pop() as string;
      if (Object.hasOwn(schemas, name)) continue;
      schemas[name] = this.schema(1 + this.#below(3));
      const text = JSON.stringify(schemas[name]);
      waiting.push(...others.filter((other) => text.includes(referenceTo(other))));
    }
    return schemas;
  }

  schema(depth: number): unknown {
    if (this.#below(20) === 0) return this.#below(3) > 0;
    return Object.assign({}, ...this.#list(1, 3, () => this.#keyword(depth)));
  }

  #keyword(depth: number): Json {
    const inner = () => this.schema(Math.max(depth - 1, -1));
    const size = () => this.#below(4);
    const basic: (() => Json)[] = [
      () => ({ type: this.#pick(types) }),
      () => ({ type: this.#pick(types) }),
      () => ({ enum: this.#list(1, 3, () => this.value(1)) }),
      () => ({ const: this.value(1) }),
      () => ({ [this.#pick(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])]: this.#pick(numbers) }),
      () => ({ multipleOf: this.#pick([1, 2, 3, 0.5, 10]) }),
      () => ({ [this.#pick(["minLength", "maxLength", "minItems", "maxItems"])]: size() }),
      () => ({ [this.#pick(["minProperties", "maxProperties"])]: size() }),
      () => ({ pattern: this.#pick(["^a", "b$", "^[a-z]*$", "\\d", "^.$"]) }),
      () => ({ format: this.#pick(["date", "email", "uuid", "ipv4"]) }),
      () => ({ uniqueItems: true }),
      () => ({ required: [...new Set(this.#list(1, 2, () => this.#pick(names)))] }),
      () => ({ dependentRequired: this.#map(() => [this.#pick(names)]) }),
    ];
    const nested: (() => Json)[] = [
      () => ({ properties: this.#map(inner) }),
      () => ({ properties: this.#map(inner) }),
      () => ({ patternProperties: this.#map(inner, ["^a", "b", "^x\\d$", ""]) }),
      () => ({ additionalProperties: this.#below(3) === 0 ? false : inner() }),
      () => ({ propertyNames: this.schema(-1) }),
      () => ({ dependentSchemas: this.#map(inner) }),
      () => ({ items: inner() }),
      () => ({ prefixItems: this.#list(1, 2, inner) }),
      () => ({ contains: inner(), ...this.#pick([{}, {}, { minContains: size() }, { maxContains: size() }]) }),
      () => ({ [this.#pick(["allOf", "anyOf", "oneOf"])]: this.#list(1, 3, inner) }),
      () => ({ not: inner() }),
      () => ({ if: inner(), ...this.#pick<Json>([{}, { [branch]: inner() }, { [branch]: inner(), else: inner() }]) }),
      () => ({ [this.#pick(["unevaluatedProperties", "unevaluatedItems"])]: this.#below(2) === 0 ? false : inner() }),
      () => ({ $ref: referenceTo(this.#pick(others)) }),
    ];
    return this.#pick(depth < 0 ? basic : [...basic, ...nested, ...nested])();
  }
}

const branch = "then"; // Biome takes an object with this name for a promise

/** Runs the test for a number of values. Stops after 5 differences. */
export function fuzzSchemas(seed: number, count: number): SchemaFuzzReport {
  const generator = new Generator(seed);
  const documents = new Set<string>();
  const differences: string[] = [];
  let [values, invalid] = [0, 0];
  while (values < count && differences.length < 5) {
    const document = { components: { schemas: generator.schemas() } };
    const text = JSON.stringify(document);
    const digest = hash("md5", text, "base64");
    if (documents.has(digest) || isWrongInAjv(text)) continue;
    const validators = compile(document);
    if (validators === undefined) continue;
    documents.add(digest);
    for (let n = 0; n < valuesOfSchema; n++) {
      const value = generator.value();
      if (isWrongInAjv(text + JSON.stringify(value))) continue;
      const result = validators.own(value);
      values += 1;
      if ("problems" in result) invalid += 1;
      const isExplained = "value" in result || (result.problems.length > 0 && result.problems.length <= 10);
      const isValid = validators.ajv(value) ?? "value" in result;
      if ("value" in result === isValid && isExplained) continue;
      differences.push(`${text} and the value ${JSON.stringify(value)}: ${JSON.stringify(result)}`);
      break;
    }
  }
  return { documents: documents.size, values, invalid, differences };
}

const pointer = "/components/schemas/x";

// Undefined for schemas that lead to themselves, which we refuse, and in which Ajv does not end.
function compile(document: { readonly components: { readonly schemas: Json } }) {
  const own = new Schemas(document);
  let isRefused = false;
  const report = () => {
    isRefused = true;
  };
  for (const name of Object.keys(document.components.schemas)) own.add(`/components/schemas/${name}`, { report });
  own.checkReferences({ report });
  own.checkDefaults(
    Object.keys(document.components.schemas).map((name) => `/components/schemas/${name}`),
    report,
  );
  if (isRefused) return undefined;
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    validateSchema: false,
    ownProperties: true,
    logger: false,
  });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  const validate = ajv.getSchema(`document#${pointer}`);
  return validate && { own: own.compileCheckAt(pointer), ajv: (value: unknown) => judge(validate, value) };
}

// Undefined if the code that Ajv has generated throws an Error.
function judge(validate: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return validate(value) === true;
  } catch {
    return undefined;
  }
}
