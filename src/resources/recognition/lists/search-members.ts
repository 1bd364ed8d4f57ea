// The members of records in which a search looks: those that its description names, or all free texts.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Member } from "../../../store/index.ts";
import { searchNames } from "../../names/list-names.ts";
import { meaningOf } from "../../names/meaning.ts";
import { attributesName, technicalNames } from "../../names/member-names.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import { valueType } from "../../record/schema-nodes.ts";

/** Returns the members in which a search looks; none if its description names one that is not known. */
export function findSearched(record: RecordSchema, description: string): readonly Member[] {
  const all = textsOf(record);
  // "first or last name" is "first name or last name".
  const words = toSnakeCase(description).replaceAll("_", " ");
  const text = ` ${words.replaceAll(/\b(first|given) (or|and) ((?:last|family) name)/g, "$1 name $2 $3")} `;
  const quoted = [...description.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
  const isUnread = (name: string) => record.propertyNames.includes(name) && !all.some((one) => nameOf(one) === name);
  const said = nameWords.filter((word) => text.includes(` ${word} `) || text.includes(` ${word}s `));
  const isOther = (one: Member) => nameOf(one) !== "id" && !meaningOf(searchNames, nameOf(one));
  const others = all.filter((one) => isOther(one) && text.includes(` ${wordsOf(one)} `));
  const named = said.map((word) => {
    const exact = others.filter((one) => wordsOf(one).split(" ").includes(word));
    return exact.length > 0 ? exact : all.filter((one) => wordsOf(one).split(" ").at(-1) === word);
  });
  if (named.some((found) => found.length === 0) || quoted.some(isUnread)) return [];
  const isSaid = said.length > 0 || all.some((one) => quoted.includes(nameOf(one)));
  if (isSaid) return [...new Set([...named.flat(), ...others])];
  // Ids, hashes and URLs only if there are no others, also in an object of which the document does not say its members.
  const usual = all.filter((one) => !technicalNames.test(toSnakeCase(nameOf(one))));
  return usual.length > 0 || record.propertyNames.some((name) => record.member(name)?.isAnyObject) ? usual : all;
}

// The words that name a member, if the description of a search has them.
const nameWords = ["name", "label", "title", "email", "nickname", "login", "slug"];

const nameOf = ({ path }: Member) => path.at(-1) as string;
const wordsOf = (member: Member) => toSnakeCase(nameOf(member)).replaceAll("_", " ");

// The free texts of a record.
function textsOf(record: RecordSchema): readonly Member[] {
  const of = (schema: RecordSchema | undefined, ...outer: readonly string[]) =>
    (schema?.propertyNames ?? []).flatMap((name) => {
      const schemas = schema?.property(name) ?? [];
      const isFree = schemas.every(
        ({ schema: { format, enum: values, const: value } }) =>
          (format === undefined || format === "email") && values === undefined && value === undefined,
      );
      return valueType(schemas) === "string" && isFree ? [{ path: [...outer, name] }] : [];
    });
  return [...of(record), ...of(record.member(attributesName), attributesName)];
}
