// Handlers of the operations whose meaning is certain: those of a collection of records in a store.
import { createHash } from "node:crypto";
import { HttpError, InvalidRequest } from "../http/index.ts";
import { canonicalJson, parseJson, type RawJson } from "../lib/index.ts";
import type { Document, UntypedCall, UntypedHandler } from "../openapi/application.ts";
import type { IdempotencyKey, RecordStore, Store } from "../store/index.ts";
import { mergePatch } from "./merge-patch.ts";
import { type ListQuery, linkPages, readCursor } from "./pages.ts";
import type { Resource } from "./resource.ts";
import { findStandardOperations, type OperationKind, type StandardOperation } from "./standard-operations.ts";

/** The handlers of the operations that a store can answer. */
export interface StandardHandlers {
  /** By operationId. */
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
  /** Why all other operations need a handler, by operationId. Completes "it …". */
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * Returns the handlers of those operations of a document that have no handler of the application, and whose meaning is certain.
 * `baseUrl` is the public URL of the API.
 */
export function createStandardHandlers(
  document: Document,
  own: object,
  { records }: Pick<Store, "records">,
  baseUrl: string,
): StandardHandlers {
  const { known, reasons } = findStandardOperations(document);
  const handlers = known.flatMap((standard) => {
    const { kind, operation, resource } = standard;
    if (Object.hasOwn(own, operation.id)) return [];
    return [[operation.id, creators[kind](new CollectionAccess(standard, records(resource.name), baseUrl))] as const];
  });
  return { handlers: Object.fromEntries(handlers), reasons };
}

/** The records of a collection, as the handler of an operation uses them. */
class CollectionAccess {
  readonly resource: Resource;
  readonly records: RecordStore;
  readonly status: number;
  /** The public URL of the list. */
  readonly url: string;
  readonly #requiresMatch: boolean;
  readonly #parameter: string; // the path parameter with the id

  constructor({ resource, operation, status }: StandardOperation, records: RecordStore, baseUrl: string) {
    const { create, get } = resource.operations;
    this.resource = resource;
    this.records = records;
    this.status = status;
    this.url = baseUrl + create.path;
    this.#requiresMatch = operation.part.at("responses")?.at("428") !== undefined;
    this.#parameter = get.path.slice(get.path.lastIndexOf("{") + 1, -1);
  }

  idOf({ params }: UntypedCall): bigint {
    return BigInt((params as Readonly<Record<string, bigint>>)[this.#parameter] as bigint);
  }

  notFound(call: UntypedCall): HttpError {
    const { recordName } = this.resource;
    const code = `${recordName}_not_found`;
    return new HttpError({ code, status: 404 }, `No ${recordName} has the id ${this.idOf(call)}.`);
  }

  /** Throws an HttpError unless a request may change a record. */
  checkPreconditions(call: UntypedCall, record: RawJson<unknown> | undefined): void {
    const matches = call.ifMatch(record);
    if (matches === undefined && this.#requiresMatch && record)
      throw new HttpError(
        { code: "precondition_required", status: 428 },
        `Send the ETag of the ${this.resource.recordName}, which a GET returns, in If-Match.`,
      );
    if (matches === false || call.ifNoneMatch(record) === false)
      throw new HttpError(
        "precondition_failed",
        `The ${this.resource.recordName} has changed, or does not exist. Read it again.`,
      );
  }

  /** Returns the members of a record without its id. Throws an InvalidRequest if it has another id. */
  withoutId(call: UntypedCall, record: object): object {
    const { id: name } = this.resource.collection;
    const { [name]: id, ...members } = record as Readonly<Record<string, unknown>>;
    if (id === undefined || BigInt(id as bigint) === this.idOf(call)) return members;
    throw invalidBody(name, `The property ${name} must be that of the path, ${this.idOf(call)}, or be left out.`);
  }

  /** Changes a record, and returns its response. */
  async change(call: UntypedCall, edit: (record: RawJson<unknown>) => object) {
    const result = await this.records.change(this.idOf(call), (record) => {
      this.checkPreconditions(call, record);
      return edit(record);
    });
    return this.respond(call, result);
  }

  /** Returns the response to a change. */
  respond(call: UntypedCall, result: Awaited<ReturnType<RecordStore["change"]>>) {
    if (result.outcome === "missing") {
      this.checkPreconditions(call, undefined);
      throw this.notFound(call);
    }
    return { status: this.status, ...(this.status !== 204 && { body: result.record }) };
  }
}

const creators: Readonly<Record<OperationKind, (collection: CollectionAccess) => UntypedHandler>> = {
  list: ({ records, url }) => {
    return async ({ query }) => {
      const { limit, cursor: _, ...filter } = query as ListQuery;
      const position = readCursor(query as ListQuery);
      if (position === null)
        throw new HttpError(
          { code: "invalid_cursor", status: 400 },
          "The cursor is not valid for this list and filter. Use a cursor from the Link header of the same list, with the same filter, or omit it.",
        );
      const page = await records.list({ limit, position, filter });
      return {
        status: 200,
        body: page.records,
        headers: { Link: linkPages(url, query as ListQuery, position, page) },
      };
    };
  },

  create: ({ records, resource: { recordName }, status, url }) => {
    return async (call) => {
      const created = await records.create(call.body as object, readIdempotencyKey(call));
      if (created.outcome === "conflict")
        throw new HttpError(
          { code: "idempotency_key_reused", status: 422 },
          `This Idempotency-Key was used with a different body. Use a new key to create another ${recordName}.`,
        );
      if (created.outcome === "full")
        throw new HttpError(
          { code: "store_full", status: 507 },
          `The store contains the maximum number of records. No ${recordName} was created. Do not retry.`,
        );
      const replayed = created.outcome === "repeated" ? { "Idempotency-Replayed": "true" } : {};
      return { status, body: created.record, headers: { Location: `${url}/${created.id}`, ...replayed } };
    };
  },

  get: (collection) => async (call) => {
    const record = await collection.records.find(collection.idOf(call));
    if (record === undefined) throw collection.notFound(call);
    return { status: collection.status, body: record };
  },

  replace: (collection) => async (call) => {
    const members = collection.withoutId(call, call.body as object);
    return collection.change(call, () => members);
  },

  update: (collection) => {
    const { resource } = collection;
    const validate = resource.createValidator("record");
    return async (call) =>
      collection.change(call, (record) => {
        const merged = mergePatch(parseJson(record.text), call.body);
        const { problem } = validate(merged);
        if (problem) throw invalidBody(problem.part ?? problem.path, describe(resource.recordName, problem));
        return collection.withoutId(call, merged as object);
      });
  },

  delete: (collection) => async (call) => {
    const result = await collection.records.remove(collection.idOf(call), (record) => {
      collection.checkPreconditions(call, record);
      return true;
    });
    return collection.respond(call, result);
  },
};

function describe(
  recordName: string,
  { path, requirement }: { readonly path: string; readonly requirement: string },
): string {
  const subject = path === "" ? `The ${recordName}` : `The property ${path} of the ${recordName}`;
  return `${subject} ${requirement}, also after the change.`;
}

function invalidBody(name: string, message: string): InvalidRequest {
  return new InvalidRequest([{ location: "body", name, message }]);
}

/**
 * Returns the Idempotency-Key of a request that creates a record; undefined if it has none. The value is a quoted string (RFC 8941,
 * section 3.3.3); a bare one is accepted, too, and means the same key. Each caller has keys of its own.
 */
export function readIdempotencyKey(call: Pick<UntypedCall, "headers" | "body" | "caller">): IdempotencyKey | undefined {
  const sent = (call.headers as Readonly<Record<string, unknown>>)["Idempotency-Key"];
  if (sent === undefined) return undefined;
  const value = String(sent);
  const key = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
  return { caller: callerId(call.caller), key, digest: digestOf(call.body) };
}

// The id 0, which no API key has, is that of all callers without a credential. Other callers than those of API keys have an id made of
// what the check of the credential has returned.
function callerId(caller: unknown): bigint {
  if (caller === undefined) return 0n;
  const { id } = Object(caller) as { readonly id?: unknown };
  return typeof id === "bigint" ? id : BigInt.asUintN(62, digestOf(id ?? caller).readBigUInt64BE());
}

function digestOf(value: unknown): Buffer {
  return createHash("sha256").update(canonicalJson(value)).digest();
}
