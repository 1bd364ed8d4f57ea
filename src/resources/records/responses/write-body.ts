// Writes records as the bodies of responses.
import { parseJson, RawJson, toJson } from "../../../lib/index.ts";
import { type PageFacts, writePageMembers } from "../../recognition/lists/page-facts.ts";
import type { ListEnvelope, RecordEnvelope } from "../../recognition/responses/envelopes.ts";

type Members = Readonly<Record<string, unknown>>;

/** Writes a record as the body of a response. */
export function writeRecord(envelope: RecordEnvelope, record: RawJson<unknown>): RawJson<unknown> {
  const { only, property, member, beside, value } = envelope;
  if (value !== undefined) return new RawJson(toJson(value));
  if (only ?? property ?? member ?? beside) return new RawJson(envelopeText(envelope, record.text));
  return record;
}

/** Writes the records of a page as the body of a response. */
export function writePage(envelope: ListEnvelope, records: RawJson<unknown>, facts: PageFacts): RawJson<unknown> {
  const { item, levels } = envelope;
  const isBare = Object.keys(item).length === 0;
  const items = isBare
    ? records
    : new RawJson(
        `[${(parseJson(records.text) as unknown[]).map((one) => envelopeText(item, toJson(one))).join(",")}]`,
      );
  return levels.reduceRight(
    (inner, { member, beside }) => new RawJson(joinMembers([[member, inner.text]], writePageMembers(beside, facts))),
    items,
  );
}

function envelopeText({ only, property, member, beside = {}, renamed = {} }: RecordEnvelope, text: string): string {
  if (member !== undefined) return joinMembers([[member, text]], beside);
  const members = parseJson(text) as Members;
  if (property !== undefined) return toJson(members[property]);
  const selected = Object.entries(members).filter(([name]) => only === undefined || only.includes(name));
  const others = Object.entries(renamed).map(([name, own]) => [name, members[own]]);
  return toJson({ ...beside, ...Object.fromEntries([...selected, ...others]) });
}

// Without parsing the texts.
function joinMembers(texts: readonly (readonly [string, string])[], others: Members): string {
  const all = [...texts, ...Object.entries(others).map(([name, value]) => [name, toJson(value)] as const)];
  return `{${all.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
