// Handlers of the operations that a store can answer: those of a collection of records.
import { HttpError, InvalidRequest } from "../../http/index.ts";
import { isObject, RawJson, toJson } from "../../lib/index.ts";
import type { Document, UntypedCall, UntypedHandler } from "../../openapi/index.ts";
import { idOf, type RecordStore, type Records, type Store } from "../../store/index.ts";
import { readResources } from "../recognition/collections/find-collections.ts";
import { planOf } from "../recognition/find-plan.ts";
import { normalizePath } from "../recognition/paths.ts";
import { hasWriters, type PlannedAction, type PlannedCollection, type PlannedOperation } from "../recognition/plan.ts";
import type { OperationKind } from "../record/collection-plan.ts";
import { membersOf } from "../record/member-values.ts";
import type { Resource } from "../record/resource.ts";
import { createActionHandler } from "./action-handler.ts";
import { CollectionAccess } from "./collection-access.ts";
import { type ListAction, listPage } from "./lists/list.ts";
import type { Parent } from "./parent-check.ts";
import { placeRecord } from "./place-record.ts";
import { hidePrivate } from "./private-members.ts";
import { createPropertyHandler } from "./property-handlers.ts";
import { forCaller, showOwn } from "./record-owners.ts";
import { findIdempotencyKey } from "./requests/idempotency-key.ts";
import { isJsonPatch, patchRecord, requireKept } from "./requests/patches.ts";
import { invalidBody, storeFull } from "./requests/request.ts";

/** The handlers of the operations that a store can answer. */
export interface RecordHandlers {
  /** By operationId. */
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
  /** Why all other operations need a handler, by operationId. Completes "it …". */
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * Returns the handlers of those operations of a document that have no handler of the application. `baseUrl` is the public URL of
 * the API.
 */
export function createRecordHandlers(document: Document, own: object, whole: Stores, baseUrl: string): RecordHandlers {
  const plan = planOf(document);
  const { collections, operations } = plan;
  const resources = new Map(readResources(document).map((resource) => [resource.name, resource]));
  const store = viewOf(whole, resources);
  const hasOwners = collections.some(({ owner }) => owner);
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  const isMade = hasWriters(plan, Object.keys(own));
  const isToImport = ({ isImported }: PlannedCollection) => isImported && !isMade;
  const chainAbove = (name: string | undefined): Parent[] => {
    const parent = name === undefined ? undefined : byName.get(name);
    if (parent === undefined) return [];
    const resource = resources.get(parent.name) as Resource;
    return [{ resource, isImported: isToImport(parent) }, ...chainAbove(parent.above)];
  };
  const accessOf = (operation: AnsweredOperation): CollectionAccess => {
    const { collection: name, part, within } = operation.does;
    const collection = byName.get(name) as PlannedCollection;
    const { above, below, operations: ids } = collection;
    const place = normalizePath(operation.path);
    const isRead = ({ id, path }: AnsweredOperation) => (part ? normalizePath(path) === place : id === ids.get);
    const read = operations.filter(isAnswered).find((one) => isRead(one) && one.does.kind === "get")?.does;
    return new CollectionAccess(operation, {
      resource: resources.get(name) as Resource,
      resources,
      isImported: (other) => isToImport(byName.get(other) as PlannedCollection),
      read: read?.envelopes[read.status] ?? {},
      store,
      baseUrl,
      above: chainAbove(within ? operation.does.above : above),
      below,
    });
  };
  const handlers = operations.filter(isAnswered).flatMap((operation) => {
    if (Object.hasOwn(own, operation.id)) return [];
    const { kind, part, set, headers, body } = operation.does;
    const create = part ? createPropertyHandler : set ? createActionHandler : creators[kind];
    const answer = withLocation(headers, create(accessOf(operation)));
    const handler = hasOwners ? forCaller(answer) : answer;
    const evaluatesPreconditions = kind === "replace" || kind === "update" || kind === "delete";
    const flags = { evaluatesPreconditions, ...(body?.isPartial && { isPatch: true }) };
    return [[operation.id, Object.assign(handler, flags)] as const];
  });
  const reasons = operations.flatMap(({ id, not }) => (not === undefined ? [] : [[id, not] as const]));
  return { handlers: Object.fromEntries(handlers), reasons: new Map(reasons) };
}

// The store, as callers see it.
function viewOf({ records, transaction }: Stores, resources: ReadonlyMap<string, Resource>): Stores {
  const changed = new Set([...resources.values()].filter(({ plan }) => plan.private ?? plan.owner));
  if (changed.size === 0) return { records, transaction };
  const viewIn = (all: Records): Records => {
    const view = (name: string): RecordStore => {
      const resource = resources.get(name);
      return resource ? hidePrivate(showOwn(all(name), resource), resource) : all(name);
    };
    return view as Records;
  };
  return { records: viewIn(records), transaction: (work, options) => transaction((all) => work(viewIn(all)), options) };
}

type Stores = Pick<Store, "records" | "transaction">;

type AnsweredOperation = PlannedOperation & { readonly does: PlannedAction };

function isAnswered(operation: PlannedOperation): operation is AnsweredOperation {
  return operation.does !== undefined;
}

const creators: Readonly<Record<OperationKind, (collection: CollectionAccess) => UntypedHandler>> = {
  list: (collection) => (call) => listPage(collection, collection.action as ListAction, call),

  create: (collection) => {
    const { records, resource } = collection;
    const { recordName } = resource;
    const { id: name, idType, isScoped } = resource.collection;
    const canHaveId = idType === "string" || !isScoped;
    return async (call) => {
      await collection.check(call);
      const body = collection.body.of(call);
      const own = collection.body.idParameterOf(call) ?? resource.sentIdIn(body);
      const embedded = await collection.embeddedOf(call, () => body);
      const placed = placeRecord(resource, collection.makeNew(call, body, embedded), own);
      if (placed.id !== undefined && !canHaveId)
        throw invalidBody(
          resource.idPath.join("."),
          "The server makes the id of a record of this path. Send it without one.",
        );
      if (name === undefined && findIdempotencyKey(collection, call))
        throw new HttpError(
          "not_implemented",
          `The ${collection.action.keyHeader} has no effect, because no property of the record has the id. Send the request without it.`,
        );
      if (placed.id !== undefined) collection.place.requireId(call, placed.id);
      const key = placed.id === undefined ? findIdempotencyKey(collection, call) : undefined;
      const created = await collection.create(call, placed, key);
      if (created.outcome === "conflict")
        throw new HttpError(
          { code: "idempotency_key_reused", status: 422 },
          `This ${collection.action.keyHeader} was used with a different body. Use a new key to create another ${recordName}.`,
        );
      if (created.outcome === "full") throw storeFull(collection.resource.recordName);
      const isRepeated = created.outcome === "repeated";
      // The record of a key has no URLs yet.
      const stored = isRepeated
        ? ((await records.find(created.id)) ??
          new RawJson(toJson(collection.fillUrls(call, created.id, created.record))))
        : undefined;
      const replayed = isRepeated ? { "Idempotency-Replayed": "true" } : {};
      const response = await collection.response.writeSelected(call, stored ?? created.record);
      return {
        ...response,
        headers: {
          ...response.headers,
          ...(resource.hasRecordPath && { Location: collection.place.urlOf(call, created.id) }),
          ...replayed,
        },
      };
    };
  },

  get: (collection) => async (call) => {
    await collection.check(call);
    return collection.response.writeSelected(call, await collection.find(call));
  },

  replace: (collection) => async (call) => {
    // A record is not emptied by mistake.
    if (call.body === undefined) throw invalidBody("", "The request must have a body, with the whole record.");
    await collection.check(call);
    const members = collection.place.requireSameId(call, collection.body.of(call));
    const embedded = await collection.embeddedOf(call, () => members);
    const replace = (record: RawJson<unknown>) => replaceRecord(collection, call, { members, embedded }, record);
    if (collection.resource.plan.creation !== "replace") return collection.change(call, replace);
    return createOrReplace(collection, call, { members, embedded });
  },

  update: (collection) => {
    const { resource } = collection;
    const validate = resource.record.createValidator("response");
    return async (call) => {
      await collection.check(call);
      const { maker } = collection;
      const sent = () => collection.body.of(call);
      const read = () => collection.body.maskOf(call, maker?.patchOf(sent()) ?? sent());
      const embedded = await collection.embeddedOf(call, read);
      return collection.change(call, (record) => {
        const before = membersOf(record);
        if (isJsonPatch(call) && collection.body.hasMask(call))
          throw new HttpError("not_implemented", "A field mask has no effect on a JSON Patch. Send it without one.");
        const patched = patchRecord(call, before, read, (name) => resource.record.accepts(name, null));
        if (!isObject(patched)) throw invalidBody("", "A record must be an object, also after the patch.");
        const own = collection.place.requireSameId(call, maker?.withoutRequestOnly(patched) ?? patched);
        if (isObject(call.body) && maker?.keepsNothing(sent()))
          throw new HttpError(
            "not_implemented",
            "A record keeps no member of the request, so that it would change nothing.",
          );
        const kept = requireKept(call, collection.body.keepReadOnly(before, own), own);
        return collection.body.requireAllowed(call, maker ? maker.update({ ...kept, ...embedded }) : validate(kept));
      });
    };
  },

  delete: (collection) => async (call) => {
    await collection.check(call);
    const isAllowed = (record: RawJson<unknown>) => {
      collection.checkPreconditions(call, record);
      return true;
    };
    return collection.respond(call, await collection.remove(call, isAllowed));
  },
};

// `Location` as the document declares it. The scheme and host of the request are read before anything is changed.
function withLocation({ location }: PlannedAction["headers"], handler: UntypedHandler): UntypedHandler {
  if (location === "relative") return handler;
  return async (call, context) => {
    const { origin } = call.request;
    if (!URL.canParse(origin)) throw new HttpError("malformed_request", "The request must have a Host.");
    const response = await handler(call, context);
    if (response instanceof Error || response.headers?.Location === undefined) return response;
    const { Location: path, ...others } = response.headers;
    return { ...response, headers: { ...others, ...(location && { Location: new URL(`${path}`, origin).href }) } };
  };
}

interface Replacement {
  readonly members: object;
  /** See `CollectionAccess.embeddedOf`. */
  readonly embedded: object;
}

function replaceRecord(
  collection: CollectionAccess,
  call: UntypedCall,
  { members, embedded }: Replacement,
  record: RawJson<unknown>,
): object {
  const { maker, body } = collection;
  const previous = membersOf(record);
  const sent = body.keepChildren(call, members, previous);
  if (maker)
    return body.requireValid(
      maker.replace(sent, previous, {
        url: collection.place.absoluteUrlOf(call, collection.place.addressOf(call)),
        embedded,
      }),
      sent,
    );
  return body.keepReadOnly(previous, sent);
}

// A PUT creates a record with the id of its path, if no POST creates them (RFC 9110, section 9.3.4).
async function createOrReplace(collection: CollectionAccess, call: UntypedCall, replacement: Replacement) {
  const address = collection.place.addressOf(call);
  const id = idOf(collection.resource.collection, address);
  const problem = collection.resource.isSingle ? undefined : collection.place.findIdProblem(call, `${id}`);
  if (problem !== undefined)
    throw new InvalidRequest([
      { location: "path", name: collection.resource.parameter, message: `The id ${problem}.` },
    ]);
  const edit = (record: RawJson<unknown> | undefined) => {
    collection.checkPreconditions(call, record);
    if (record) return collection.body.withPrivate(call, replaceRecord(collection, call, replacement, record));
    const { members, embedded } = replacement;
    return collection.makeNew(
      call,
      collection.body.keepChildren(call, members),
      embedded,
      collection.place.absoluteUrlOf(call, address),
    );
  };
  const result = await collection.add(call, (records) => records.put(address, edit));
  if (result.outcome === "full") throw storeFull(collection.resource.recordName);
  const isCreated = result.outcome === "created";
  const { status, createdStatus } = collection.action;
  const response = await collection.response.writeSelected(call, result.record, isCreated ? createdStatus : status);
  const location = isCreated ? { Location: collection.place.urlOf(call, address) } : {};
  return { ...response, headers: { ...response.headers, ...location } };
}
