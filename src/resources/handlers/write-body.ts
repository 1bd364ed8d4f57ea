// Writes records as the bodies of responses.
import { parseJson, RawJson, toJson } from "../../lib/index.ts";
import { type PageFacts, writePageMembers } from "../model/responses/page-members.ts";
import type { ListFrame, RecordFrame } from "../model/responses/response-frame.ts";

type Members = Readonly<Record<string, unknown>>;

/** Writes a record as the body of a response. */
export function writeRecord(frame: RecordFrame, record: RawJson<unknown>): RawJson<unknown> {
  const { only, property, member, beside } = frame;
  if (only ?? property ?? member ?? beside) return new RawJson(frameText(frame, record.text));
  return record;
}

/** Writes the records of a page as the body of a response. */
export function writePage(frame: ListFrame, records: RawJson<unknown>, facts: PageFacts): RawJson<unknown> {
  const { item, member, beside } = frame;
  const isBare = Object.keys(item).length === 0;
  const items = isBare
    ? records
    : new RawJson(`[${(parseJson(records.text) as unknown[]).map((one) => frameText(item, toJson(one))).join(",")}]`);
  if (member === undefined) return items;
  return new RawJson(joinMembers([[member, items.text]], writePageMembers(beside, facts)));
}

function frameText({ only, property, member, beside = {} }: RecordFrame, text: string): string {
  if (member !== undefined) return joinMembers([[member, text]], beside);
  const members = parseJson(text) as Members;
  if (property !== undefined) return toJson(members[property]);
  const selected = Object.entries(members).filter(([name]) => only === undefined || only.includes(name));
  return toJson({ ...beside, ...Object.fromEntries(selected) });
}

// Without parsing the texts.
function joinMembers(texts: readonly (readonly [string, string])[], others: Members): string {
  const all = [...texts, ...Object.entries(others).map(([name, value]) => [name, toJson(value)] as const)];
  return `{${all.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
