// A store for a document: `createServer({ document, resources: openStore(url) })`.
import { HttpError } from "../http/index.ts";
import { getOrAdd, ignoreFailure } from "../lib/index.ts";
import type { AnyCall, Document, HandlerResult } from "../openapi/index.ts";
import { type Collection, isInMemory, openDatabase, type Records, type Store } from "../store/index.ts";
import { documentOf, type OwnCollection } from "./own-collections.ts";
import { collectionsOf, readResources } from "./recognition/collections/find-collections.ts";
import { findCreation, planOf } from "./recognition/find-plan.ts";
import { RecordMaker } from "./record/record-maker.ts";
import type { Resource } from "./record/resource.ts";
import type { HandlerRecords } from "./records/handler-query.ts";
import { type CheckedRecordsOptions, checkRecords } from "./records/handler-records.ts";
import { createRecordHandlers, type RecordHandlers } from "./records/handlers.ts";
import type { Upgrades } from "./records/import/outdated-records.ts";
import { prepareRecords } from "./records/import/prepare-records.ts";
import { forgetResponses, repeatsResponses, responsesCollection, runOnce } from "./records/repeated-responses.ts";
import { callerId } from "./records/requests/caller.ts";
import type { ResourceHandlers, ResourceOptions, ResourceSource } from "./resource-source.ts";
import type { SeedResult } from "./seeds/seed.ts";

export { ConstraintViolation } from "../lib/index.ts";
export type { OwnCollection } from "./own-collections.ts";
export type { Comparison, HandlerPage, HandlerQuery, HandlerRecords, Where } from "./records/handler-query.ts";

export interface ResourceStoreOptions {
  /** The maximum number of records of each collection; by default, there is none. */
  readonly maxRecords?: bigint | null | undefined;
  /** The number of connections (PostgreSQL only). The default is 10. */
  readonly connections?: number | undefined;
  /** Whether statements are prepared (PostgreSQL only). The default is true. */
  readonly prepare?: boolean | undefined;
  /**
   * Responds with 501, and the reason, to operations that neither the store nor a handler can answer, so that the server starts
   * without their handlers. The default is false.
   */
  readonly partial?: boolean | undefined;
  /** Functions that change records of another version of the document, by the name of their collection. */
  readonly upgrades?: Upgrades | undefined;
  /**
   * What happens to records of another version of the document when the store is opened: `apply` changes or validates them, `validate`
   * validates them, and rejects if a function of `upgrades` is pending, and `skip` leaves this to another process. The default is `apply`.
   */
  readonly preparation?: "apply" | "validate" | "skip" | undefined;
  /** Collections of the application, which no path of the document shows, by their names. */
  readonly collections?: Readonly<Record<string, OwnCollection>> | undefined;
  /** What to do about records that do not match: the end of an error. By default, it names the option `upgrades`. */
  readonly advice?: string | undefined;
}

/** The options of a store that needs a handler for each operation that it does not answer. */
type CompleteOptions = ResourceStoreOptions & { readonly partial?: false | undefined };

/** The types of records by the names of their collections, as `openapi-server generate` writes them. */
type RecordTypes = object;

/** The collections of a document, for handlers of the application. */
export interface Collections<Types extends RecordTypes = object> {
  /**
   * Returns the records of a collection, for handlers of the application. Its name is its path, such as `books`. Records below others have
   * the names of the parameters, too, and need their values: `records("shops_shop_books", shop)`, but for `list` and `count` of all. What does not match the schema of a
   * record is not written. A new record gets the members that a POST would make, if it does not have them, and if the POST can be
   * answered from records. Throws an Error for another name or number of values, and before the server is created.
   */
  records: RecordsOf<Types>;
}

interface RecordsOf<Types extends RecordTypes> {
  <Name extends keyof Types & string>(
    collection: Name,
    ...scope: Scope
  ): HandlerRecords<Types[Name], Partial<Types[Name]>>;
  <R, N extends object = object>(collection: string, ...scope: Scope): HandlerRecords<R, N>;
}

type Scope = readonly (string | bigint | number)[];

/** The records of a document. */
export interface ResourceStore<Types extends RecordTypes = object> extends Collections<Types>, ResourceSource {
  /**
   * Runs `work` in one transaction, and returns its result: all that it writes with the records that it gets is committed, or nothing if it
   * rejects. What it has read stays as it is until then, whichever process writes. It can run more than once, when others were faster: up to
   * 10 times in PostgreSQL, or for 5 s while a SQLite file is locked, then the request is a 503. Rejects if it awaits something other than
   * its calls for 1 s, and after a call that was refused by `unique` or `references`.
   */
  transaction<T>(work: (tx: Collections<Types>) => Promise<T>): Promise<T>;
  /**
   * The option `wrap` of `createServer`, for handlers each call of which is one transaction: their context has `records` of it. It is rolled
   * back if the handler throws, or returns a failure or what does not match the document. If the operation declares an Idempotency-Key, a request with one that was sent before
   * gets the response of that time.
   */
  readonly transactional: <Context, Caller>(
    call: AnyCall<Caller>,
    next: (context?: Context) => Promise<HandlerResult>,
    context: Context,
  ) => Promise<HandlerResult>;
  /** Returns the caller as a record has it whose `owner` is a text: the id of an API key, or digits made of `id`, or of the whole caller. */
  ownerOf(caller: unknown): string;
  /**
   * Creates records in the collections that are empty: those of the document's examples, or `count` in each that look like real ones. Throws
   * an Error before the server is created.
   */
  seed(count?: number): Promise<readonly SeedResult[]>;
  /** The store itself, which validates nothing: its API keys, and its collections. Throws an Error before the server is created. */
  readonly store: Store;
}

/**
 * Returns a store for the option `resources` of `createServer`: it answers the operations of collections that have no handler. It is
 * opened when the server is created, and closed with it. `source` is `sqlite:PATH`, `sqlite::memory:` or `postgres://…`, or a store
 * that is open already, and stays open. If the schema of a collection has changed, its records are validated, or changed by `upgrades`:
 * the server is not created if one of them does not match.
 */
export function openStore<Types extends RecordTypes = object>(
  source: string | Store,
  options?: CompleteOptions,
): ResourceStore<Types> & { readonly partial: false };
export function openStore<Types extends RecordTypes = object>(
  source: string | Store,
  options: ResourceStoreOptions,
): ResourceStore<Types>;
export function openStore(
  source: string | Store,
  options: ResourceStoreOptions = {},
): ResourceStore & { readonly partial: boolean } {
  let store: Store | undefined;
  let served: readonly Document[] = [];
  let own: object = {};
  let isTransactional = false;
  const { partial = false } = options;
  const requireOpened = () => {
    const [document] = served;
    if (store === undefined || document === undefined)
      throw new Error("The store is opened when the server is created.");
    return { opened: store, document, documents: served };
  };
  const transact = async <T>(work: (tx: Collections, records: Records) => Promise<T>) => {
    const { opened, documents } = requireOpened();
    return opened.transaction((records) => {
      const inner = { records, transaction: <R>(run: (all: Records) => Promise<R>) => run(records) };
      const inTransaction = (name: string, ...scope: Scope) => recordsOf(documents, inner, name, scope);
      return work({ records: inTransaction as Collections["records"] }, records);
    });
  };
  const transactional: ResourceStore["transactional"] = async (call, next, context) => {
    if (!Object.hasOwn(own, call.operation.id)) return next(); // is answered from records, in transactions of its own
    const { opened, document } = requireOpened();
    const isKept = repeatsResponses(document, own);
    const work = async (tx: Collections, records: Records) => {
      const run = () => next({ ...Object(context), ...tx } as typeof context);
      const result = await (isKept ? runOnce(call, records, run) : run());
      if (result instanceof Error || result.status >= 400) throw new Failure(result);
      return call.prepare(result);
    };
    try {
      return await transact(work);
    } catch (error) {
      if (error instanceof Failure) return error.result;
      throw error;
    } finally {
      if (isKept) ignoreFailure(forgetResponses(opened));
    }
  };
  return {
    partial,
    get store() {
      return requireOpened().opened;
    },
    async open(document: Document, server: ResourceOptions): Promise<ResourceHandlers> {
      const added = await documentOf(options.collections ?? {}, document);
      const documents: [Document, ...Document[]] = added ? [document, added] : [document];
      const others = isTransactional && repeatsResponses(document, server.handlers) ? [responsesCollection] : [];
      const opened =
        typeof source === "string" ? await openAndPrepare(source, documents, others, options, server) : source;
      store = server.traceStore?.(opened) ?? opened;
      served = documents;
      own = server.handlers;
      const { handlers, baseUrl } = server;
      const close = async () => (typeof source === "string" ? opened.close() : undefined);
      try {
        const standard = createRecordHandlers(document, handlers, store, baseUrl);
        return { ...(partial ? withRejections(standard, handlers) : standard), plan: planOf(document), store, close };
      } catch (error) {
        await close();
        throw error;
      }
    },
    records: (collection: string, ...scope: Scope) => {
      const { opened, documents } = requireOpened();
      return recordsOf(documents, opened, collection, scope);
    },
    transaction: (work) => transact((tx) => work(tx)),
    ownerOf: (caller) => `${callerId(caller)}`,
    // Read before the server is created: its responses need a table.
    get transactional() {
      const [document] = served;
      if (!isTransactional && document && repeatsResponses(document, own))
        throw new Error(
          "Read `transactional` before the server is created, such as in wrap: [mine, store.transactional]: the responses of an Idempotency-Key need a table.",
        );
      isTransactional = true;
      return transactional;
    },
    async seed(count) {
      const { opened, document } = requireOpened();
      const { seedRecords } = await import("./seeds/seed.ts");
      return seedRecords(document, opened, count);
    },
  };
}

/** Rolls the transaction of a handler back that has returned a failure. */
class Failure extends Error {
  readonly result: HandlerResult;

  constructor(result: HandlerResult) {
    super("The handler has returned a failure.");
    this.result = result;
  }
}

function recordsOf<R, N extends object>(
  documents: readonly Document[],
  store: Pick<Store, "records" | "transaction">,
  collection: string,
  scope: Scope,
): HandlerRecords<R, N> {
  const resources = documents.flatMap(readResources);
  const resource = resources.find(({ name }) => name === collection);
  if (resource === undefined) {
    const names = resources.map(({ name }) => name).join(", ");
    throw new Error(`The store has no collection ${collection}. Its collections are: ${names}.`);
  }
  const { maker, below } = getOrAdd(knownParts, resource, () => {
    const body = findCreation(resource)?.body;
    const planned = planOf(resource.record.document).collections.find(({ name }) => name === collection);
    return { maker: body && new RecordMaker(resource, body), below: planned?.below ?? [] };
  });
  return checkRecords({ resource, store, below, maker, scope }) as HandlerRecords<R, N>;
}

// Its schemas are compiled once.
const knownParts = new WeakMap<Resource, Pick<CheckedRecordsOptions, "maker" | "below">>();

async function openAndPrepare(
  url: string,
  documents: readonly [Document, ...Document[]],
  others: readonly Collection[],
  { maxRecords, connections, prepare, upgrades = {}, preparation = "apply", advice }: ResourceStoreOptions,
  { service, maxBytes, logger, report, progress }: ResourceOptions,
): Promise<Store> {
  const opened = await openDatabase(url, {
    service,
    collections: [...documents.flatMap(collectionsOf), ...others].map((collection) => ({ maxBytes, ...collection })),
    maxRecords: maxRecords ?? null,
    report: preparation === "skip" ? undefined : report,
    inBackground: (work) => work.catch((err) => logger.error({ err }, "an index could not be created")),
    ...(connections !== undefined && { connections }),
    ...(prepare !== undefined && { prepare }),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("A store in PostgreSQL needs the package pg. Run npm install pg.");
  });
  if (isInMemory(url) || preparation === "skip") return opened;
  const showProgress = (label: string, done: number, total: number) =>
    progress(`${label}: ${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} records.`);
  try {
    for (const document of documents)
      await prepareRecords(url, document, {
        service,
        apply: preparation === "apply",
        upgrades,
        advice,
        report: documents.length === 1 ? report : undefined,
        progress: showProgress,
      });
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

// Adds handlers that respond with 501 to the operations that have none.
function withRejections({ handlers, reasons }: RecordHandlers, own: object): RecordHandlers {
  const rejections = [...reasons].flatMap(([id, reason]) => {
    if (Object.hasOwn(own, id)) return [];
    const reject = () => {
      throw new HttpError("not_implemented", `The operation ${id} needs a handler: it ${reason}.`);
    };
    return [[id, reject] as const];
  });
  return { handlers: { ...Object.fromEntries(rejections), ...handlers }, reasons };
}
