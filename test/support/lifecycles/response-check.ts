// Whether responses match the schemas of a document, by Ajv.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type Json, list, type Operation, type RawDocument } from "./document.ts";

/** Returns a function that returns what is wrong with the body of a response; undefined if it is valid. */
export function createResponseCheck(document: RawDocument) {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    validateSchema: false,
    code: { regExp },
  });
  ajv.addSchema(toJsonSchema(document.root, `${document.root.openapi}`.startsWith("3.0")) as object, "document");
  const compiled = new Map<string, ValidateFunction>();
  return (operation: Operation, status: number, body: unknown): string | undefined => {
    const pointer = document.responsePointer(operation, status);
    if (!document.declares(operation, status)) return "has an undeclared status";
    if (pointer === undefined) return undefined;
    if (body === undefined) return "has no content";
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    return validate(body) ? undefined : `is invalid: ${ajv.errorsText(validate.errors, { dataVar: "" })}`;
  };
}

// Some patterns are only valid without the flag u.
function regExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}
regExp.code = "new RegExp";

// A response has no write-only members.
function toJsonSchema(value: unknown, isOld: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => toJsonSchema(one, isOld));
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Json;
  if (isOld && typeof schema.$ref === "string") return { $ref: schema.$ref };
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema))
    if (!["example", "examples", "default", "discriminator"].includes(name) || typeof schema.properties !== "object")
      copy[name] = ["example", "examples"].includes(name) ? undefined : toJsonSchema(member, isOld);
  if (Array.isArray(schema.required)) {
    const properties = Object(schema.properties) as Record<string, Json>;
    copy.required = list(schema.required).filter((name) => properties[`${name}`]?.writeOnly !== true);
  }
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
