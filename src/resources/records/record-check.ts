// What is wrong with the row of a record: the rules of the document, and of its id.
import { InvalidValue, parseJson } from "../../lib/index.ts";
import { idOf, maxNumber, type Values } from "../../store/index.ts";
import type { Resource } from "../model/index.ts";

/** Returns a function that completes a sentence about a record that is invalid; undefined for a valid one. */
export function createRecordCheck(resource: Resource): (row: Values) => string | undefined {
  const validate = resource.record.createValidator("response");
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
