// What is wrong with rows: of a record, by the rules of the document and of its id, and of an Idempotency-Key.
import { InvalidValue, parseJson } from "../../../lib/index.ts";
import type { Document } from "../../../openapi/index.ts";
import { idOf, maxNumber, type Values } from "../../../store/index.ts";
import type { Resource } from "../../record/resource.ts";

/** Returns a function that completes a sentence about a record that is invalid; undefined for a valid one. */
export function createRecordCheck(resource: Resource): (row: Values) => string | undefined {
  const validate = resource.validate;
  return ([number, text, key]) => {
    if (typeof number !== "bigint" || number < 1n || number > maxNumber)
      return `: id must be an integer from 1 to ${maxNumber}`;
    try {
      const record = parseJson(text as string);
      const { problem } = validate(record);
      if (problem) throw new InvalidValue(problem.requirement, problem.path);
      if (resource.idPath.length === 0) return undefined; // it is in the path only
      const id = idOf(resource.collection, (key as string | undefined) ?? number);
      return `${resource.idIn(record)}` === `${id}` ? undefined : " has another id in its record";
    } catch (error) {
      const { path, requirement } = error as InvalidValue;
      return ` does not match the schema: ${path === "" ? "It" : `The field '${path}'`} ${requirement}`;
    }
  };
}

/** Returns a function that returns whether a store can contain an Idempotency-Key. Without such a header, it contains none. */
export function createIdempotencyKeyCheck({ operations }: Document): (key: string) => boolean {
  const headers = operations.map(({ parameters }) => parameters.headers);
  const group = headers.find((one) => one?.names.includes("Idempotency-Key"));
  // The store contains the text without its quotes and escapes. Every key can be written with them.
  return (key) => group?.read({ "idempotency-key": `"${key.replace(/["\\]/g, "\\$&")}"` }).error === undefined;
}
