// Handlers of parts of records that have a path of their own.
import { HttpError } from "../../http/index.ts";
import type { UntypedCall, UntypedHandler } from "../../openapi/index.ts";
import type { PartPlan, PlannedAction } from "../recognition/plan.ts";
import { makeMembers } from "../record/member-sources.ts";
import { membersOf } from "../record/member-values.ts";
import { RecordSchema } from "../record/record-schema.ts";
import type { CollectionAccess } from "./collection-access.ts";
import { patchRecord, requireKept } from "./requests/patches.ts";
import { invalidBody } from "./requests/request.ts";

type Members = Readonly<Record<string, unknown>>;

/** Creates the handler of a part of a record. `collection` has the record. */
export function createPropertyHandler(collection: CollectionAccess): UntypedHandler {
  const { kind } = collection.action;
  const part = collection.action.part as PartPlan;
  const { property: name, response } = part;
  const { recordName, record: schema } = collection.resource;
  const missing = () =>
    new HttpError({ code: `${recordName}_${name}_not_found`, status: 404 }, `The ${recordName} has no ${name}.`);
  if (kind === "get")
    return async (call) => {
      await collection.check(call);
      const record = await collection.find(call);
      if (response === "property" && membersOf(record)[name] === undefined) throw missing();
      return collection.response.write(call, record);
    };
  const validate = schema.createValidator("response");
  const sent = part.schema === undefined ? schema : RecordSchema.of(schema.document, { pointer: part.schema });
  const requestOnly = schema.requestOnly(sent, []);
  return async (call) => {
    await collection.check(call);
    if (kind === "replace" && call.body === undefined)
      throw invalidBody("", `The request must have a body, with the ${name}.`);
    const result = await collection.records.change(collection.place.addressOf(call), (record) => {
      const members = membersOf(record);
      const isMissing = members[name] === undefined;
      collection.checkPreconditions(call, isMissing ? undefined : record);
      if (kind === "delete" && isMissing) throw missing();
      const whole = changePart(call, members, { kind, part, schema });
      const own = (requestOnly?.removeFrom(whole) ?? whole) as Readonly<Record<string, unknown>>;
      const changed = { ...own, ...makeMembers(schema, part.updated, own, { now: new Date(), converts: false }) };
      collection.body.requireAllowed(call, validate(changed));
      return changed;
    });
    return collection.respond(call, result);
  };
}

function changePart(
  call: UntypedCall,
  record: Members,
  { kind, part, schema }: { kind: PlannedAction["kind"]; part: PartPlan; schema: RecordSchema },
): object {
  const { property: name, body } = part;
  const { [name]: value, ...others } = record;
  if (kind === "delete") return others;
  const isObject = body === "object";
  const sent = call.body ?? {};
  const before = Object(isObject ? record : (value ?? {})) as Members;
  const changed = kind === "replace" ? sent : patchRecord(call, before, () => sent as Members);
  const next = isObject ? (changed as Members)[name] : changed;
  if (next === undefined) return others;
  // A part that is read-only in the record can be changed at its own path.
  const kept = schema.readOnly?.of(name).keepFrom(value, next) ?? next;
  return requireKept(call, { ...record, [name]: kept }, { ...record, [name]: next });
}
