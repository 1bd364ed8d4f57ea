// The handler of an action, which sets members of a record as `x-resource` declares it.
import { HttpError } from "../../http/index.ts";
import { canonicalJson, toJson } from "../../lib/index.ts";
import type { UntypedHandler } from "../../openapi/index.ts";
import { membersOf } from "../record/member-values.ts";
import type { CollectionAccess } from "./collection-access.ts";
import { mergePatch } from "./requests/patches.ts";

/** Creates the handler that sets members of a record, if it has the values that the action needs, and merges those of the body. */
export function createActionHandler(collection: CollectionAccess): UntypedHandler {
  const { set } = collection.action;
  const { recordName } = collection.resource;
  return async (call) => {
    await collection.check(call);
    return collection.change(call, (record) => {
      const before = membersOf(record);
      const isOther = ([name, values]: [string, readonly unknown[]]) =>
        !values.some((value) => canonicalJson(value) === canonicalJson(before[name] ?? null));
      const wrong = Object.entries(set?.if ?? {}).find(isOther);
      if (wrong)
        throw new HttpError(
          { code: `${recordName}_conflict`, status: 409 },
          `The ${wrong[0]} of the ${recordName} is ${toJson(before[wrong[0]] ?? null)}, and must be ${wrong[1].map((value) => toJson(value)).join(" or ")}.`,
        );
      const { maker } = collection;
      const sent = maker?.patchOf(collection.body.of(call)) ?? {};
      const merged = collection.body.keepReadOnly(before, mergePatch(before, sent) as object);
      const changed = collection.place.requireSameId(call, { ...merged, ...set?.members });
      return collection.body.requireAllowed(call, maker ? maker.update(changed) : { value: changed });
    });
  };
}
