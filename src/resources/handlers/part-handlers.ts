// Handlers of parts of records that have a path of their own.
import { HttpError } from "../../http/index.ts";
import { parseJson, RawJson, toJson } from "../../lib/index.ts";
import type { UntypedCall, UntypedHandler } from "../../openapi/application.ts";
import type { PartOperation } from "../model/index.ts";
import { type CollectionAccess, invalidBody } from "./collection-access.ts";
import { patchRecord } from "./patches.ts";

type Members = Readonly<Record<string, unknown>>;

/** Creates the handler of a part of a record. `collection` has the record. */
export function createPartHandler(collection: CollectionAccess, part: PartOperation): UntypedHandler {
  const { kind, name, status } = part;
  const { recordName } = collection.resource;
  const missing = (call: UntypedCall) =>
    new HttpError(
      { code: `${recordName}_${name}_not_found`, status: 404 },
      `The ${recordName} has no ${name}: ${call.request.url}.`,
    );
  const write = (call: UntypedCall, record: RawJson<unknown>) => {
    if (part.response === undefined || kind === "delete") return { status };
    const { [name]: value } = parseJson(record.text) as Members;
    if (value === undefined && part.response === "property") throw missing(call);
    return { status, body: part.response === "property" ? new RawJson(toJson(value)) : record };
  };
  if (kind === "get")
    return async (call) => {
      await collection.check(call);
      const record = await collection.records.find(collection.addressOf(call));
      if (record === undefined) throw collection.notFound(call);
      return write(call, record);
    };
  const validate = collection.resource.createValidator("record");
  return async (call) => {
    await collection.check(call);
    const result = await collection.records.change(collection.addressOf(call), (record) => {
      const changed = changePart(call, parseJson(record.text) as Members, part);
      if (kind === "delete" && (parseJson(record.text) as Members)[name] === undefined) throw missing(call);
      const { problem } = validate(changed);
      if (problem)
        throw invalidBody(problem.part ?? problem.path, `The ${recordName} ${problem.path} ${problem.requirement}.`);
      return changed;
    });
    if (result.outcome === "missing") throw collection.notFound(call);
    return write(call, result.record);
  };
}

function changePart(call: UntypedCall, record: Members, { kind, name, body }: PartOperation): object {
  const { [name]: value, ...others } = record;
  if (kind === "delete") return others;
  const isWhole = body === "record";
  if (kind === "replace") return withPart(record, name, isWhole ? (call.body as Members)[name] : call.body);
  const changed = patchRecord(call, Object(isWhole ? record : (value ?? {})) as Members, () => call.body as Members);
  return withPart(record, name, isWhole ? (changed as Members)[name] : changed);
}

function withPart(record: Members, name: string, value: unknown): object {
  const { [name]: _, ...others } = record;
  return value === undefined ? others : { ...record, [name]: value };
}
