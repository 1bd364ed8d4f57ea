// All keywords. Their order is that in which a schema checks them.
import type { SchemaObject } from "../source/document-types.ts";
import type { Keyword, Keywords } from "./keyword.ts";
import { arrayKeywords } from "./keywords/arrays.ts";
import { coreKeywords } from "./keywords/core.ts";
import { defaultKeywords } from "./keywords/defaults.ts";
import { directionKeywords } from "./keywords/directions.ts";
import { formatKeywords } from "./keywords/formats.ts";
import { logicKeywords } from "./keywords/logic.ts";
import { numberKeywords } from "./keywords/numbers.ts";
import { objectKeywords } from "./keywords/objects.ts";
import { textKeywords } from "./keywords/texts.ts";
import { typeKeywords } from "./keywords/types.ts";
import { unevaluatedKeywords } from "./keywords/unevaluated.ts";
import type { ListSubschemas } from "./value-forms.ts";

/** The keywords by name. */
export const vocabulary: ReadonlyMap<string, Keyword> = new Map(
  [
    directionKeywords,
    typeKeywords,
    numberKeywords,
    textKeywords,
    formatKeywords,
    objectKeywords,
    arrayKeywords,
    coreKeywords,
    logicKeywords,
    unevaluatedKeywords,
    defaultKeywords,
  ].flatMap((keywords: Keywords) => Object.entries(keywords)),
);

const positions = new Map([...vocabulary.keys()].map((name, index) => [name, index]));

/** Returns the keywords of a schema that are requirements, in the order in which they are checked. */
export function keywordsOf(schema: SchemaObject): string[] {
  const names = Object.keys(schema).filter((name) => {
    const { compile, compileLast, applies } = vocabulary.get(name) ?? {};
    return compile !== undefined || compileLast !== undefined || applies === "whole";
  });
  return names.length < 2 ? names : names.sort((a, b) => Number(positions.get(a)) - Number(positions.get(b)));
}

/** Lists subschemas by the forms of keywords. */
export const listSubschemas: ListSubschemas = (schema, applications) => {
  const found: ReturnType<ListSubschemas> = [];
  for (const keyword in schema) {
    const { form, applies } = vocabulary.get(keyword) ?? {};
    if (form?.schemas === undefined || applies === undefined || applications?.has(applies) === false) continue;
    const value = schema[keyword];
    if (!form.matches(value)) continue;
    if (form.schemas === "one") found.push({ keyword, key: undefined });
    else for (const key of Object.keys(value as object)) found.push({ keyword, key });
  }
  return found;
};
