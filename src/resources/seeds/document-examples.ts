// The records that the examples of a document have.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../lib/index.ts";
import type { Document, Part } from "../../openapi/index.ts";
import { readExamples } from "../../openapi/tools.ts";
import type { Resource } from "../record/resource.ts";

type ResponsePart = Part<{ readonly content?: Record<string, object> }>;

/** Returns the records in the examples of the responses of a resource, or else one that is made from the examples of its schema. */
export function recordsInExamples(resource: Resource): readonly object[] {
  const { create, get, list, replace, update } = resource.operations;
  const validate = resource.record.createValidator("response");
  const { propertyNames, document } = resource.record;
  const isRecord = (value: unknown): value is object => {
    if (!isObject(value)) return false;
    const names = Object.keys(value);
    const isKnown = names.length > 0 && names.every((name) => propertyNames.includes(name));
    return isKnown && validate(value).problem === undefined;
  };
  const values = [get, list, create, replace, update].flatMap((operation) =>
    ["200", "201"].flatMap((status) => examplesIn(operation?.part.at("responses")?.at(status), document.schemas)),
  );
  // Bare, in an envelope, or in a list.
  const found = values.flatMap((value) => [value, ...membersOf(value), ...membersOf(value).flatMap(membersOf)]);
  const records = found.filter(isRecord);
  const unique = records.filter((one, index) => records.findIndex((other) => isSame(resource, one, other)) === index);
  const example = resource.record.example;
  return unique.length > 0 ? unique : isRecord(example) ? [example] : [];
}

function isSame(resource: Resource, one: object, other: object): boolean {
  const [id, otherId] = [resource.idIn(one), resource.idIn(other)];
  return id === undefined ? isDeepStrictEqual(one, other) : `${id}` === `${otherId}`;
}

function membersOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function examplesIn(response: ResponsePart | undefined, schemas: Document["schemas"]): readonly unknown[] {
  const contents = response?.membersOf("content") ?? [];
  return contents
    .filter(([type]) => /json/.test(type))
    .flatMap(([type, content]) => readExamples(content, schemas, type).map(({ value }) => value))
    .filter((value) => value !== undefined);
}
