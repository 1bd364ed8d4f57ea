// Whether requests and responses match the schemas of a document, by Ajv.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type Json, list, type Operation, type RawDocument } from "./document.ts";
import { toRegExp } from "./patterns.ts";

/** Returns a function that returns what is wrong with the body of a response; undefined if it is valid. */
export function createResponseCheck(document: RawDocument) {
  const validate = createValidation(document, "writeOnly");
  return (operation: Operation, status: number, body: unknown): string | undefined => {
    const pointer = document.responsePointer(operation, status);
    if (!document.declares(operation, status)) return "has an undeclared status";
    if (pointer === undefined) return undefined;
    if (body === undefined) return "has no content";
    const problem = validate(pointer, body);
    return problem && `is invalid: ${problem}`;
  };
}

/** Returns a function that returns whether an operation allows a body of a media type. */
export function createBodyCheck(document: RawDocument) {
  const validate = createValidation(document, "readOnly");
  return (operation: Operation, type: string, body: unknown) =>
    validate(document.bodyPointer(operation, type), body) === undefined;
}

// `unsent` marks the members that are not required in this direction.
function createValidation(document: RawDocument, unsent: "readOnly" | "writeOnly") {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    validateSchema: false,
    code: { regExp: Object.assign(toRegExp, { code: "toRegExp" }) },
  });
  const isOld = `${document.root.openapi}`.startsWith("3.0");
  ajv.addSchema(toJsonSchema(document.root, isOld, unsent) as object, "document");
  const compiled = new Map<string, ValidateFunction>();
  return (pointer: string, body: unknown): string | undefined => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    return validate(body) ? undefined : ajv.errorsText(validate.errors, { dataVar: "" });
  };
}

// `key` is the name of the member that has the value.
function toJsonSchema(value: unknown, isOld: boolean, unsent: "readOnly" | "writeOnly", key = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => toJsonSchema(one, isOld, unsent));
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Json;
  if (isOld && typeof schema.$ref === "string") return { $ref: schema.$ref };
  const isMap = key === "properties";
  const isRead = (name: string) =>
    isMap ||
    !(/^examples?$/.test(name) || (typeof schema.properties === "object" && /^(default|discriminator)$/.test(name)));
  const members = Object.entries(schema).filter(([name]) => isRead(name));
  const copy: Record<string, unknown> = Object.fromEntries(
    members.map(([name, member]) => [name, toJsonSchema(member, isOld, unsent, isMap ? "" : name)]),
  );
  if (isMap) return copy;
  if (Array.isArray(schema.required)) {
    const properties = Object(schema.properties) as Record<string, Json>;
    copy.required = list(schema.required).filter((name) => properties[`${name}`]?.[unsent] !== true);
  }
  // A discriminator chooses one of alternatives that can all match.
  if (schema.discriminator !== undefined && Array.isArray(copy.oneOf)) {
    copy.anyOf = copy.oneOf;
    delete copy.oneOf;
  }
  // A pattern that the schema's own example does not match is wrong.
  const { pattern, example } = schema;
  if (typeof pattern === "string" && typeof example === "string" && !toRegExp(pattern).test(example))
    delete copy.pattern;
  delete copy.nullable;
  if (!isOld) return copy;
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const)
    if (schema[exclusive] === true) copy[exclusive] = schema[limit];
    else if (schema[exclusive] === false) delete copy[exclusive];
  if (schema.nullable !== true) return copy;
  return { anyOf: [copy, { type: "null" }] };
}
