// The store for several machines: PostgreSQL, which any number of processes may share.
//
// Each question is one statement and so one transaction, prepared once on each connection: nothing is
// ever left open between two of them. Calls that come at the same time share one.
//
// PostgreSQL gives out ids before it commits, so of two pets the later may be seen first, and a list that was read past it would never show the earlier one.
// Here creates take turns, by a lock on the one row of petstore.secret: what has a lower id is
// there before what has a higher one, as in the embedded store.
import { setImmediate as endOfTurn } from "node:timers/promises";
import pg from "pg";
import { Unavailable } from "../../lib/index.ts";
import { busy, coalesce } from "../batcher.ts";
import type {
  CreateResult,
  DailyCalls,
  IdempotencyKey,
  Key,
  NewPet,
  OpenMode,
  Page,
  Pet,
  PetQuery,
  Store,
  StoreTimeouts,
} from "../port.ts";
import { captureContext, queryChannel, type RunInContext, runForCalls } from "../query-channel.ts";
import { createQueryMetrics } from "../query-metrics.ts";
import { idempotencyWindow, newPetColumns, type Row, toKey, toPage, toPet } from "../rows.ts";
import { connectionConfig, prepareDatabase, toStoreError } from "./connection.ts";
import { methods, statements } from "./statements.ts";

// How many questions may wait for a connection, for each that the pool has.
const mostWaiting = 100;

// How many calls of a kind are one question.
const room = { maxBatch: 500, maxWaiting: 2_000 };

/** A pet to add. */
interface Asked {
  readonly pet: NewPet;
  readonly once: IdempotencyKey | undefined;
}

/**
 * Opens the store in the database that `url` names, with at most `connections` to it. Options of pg in the URL apply.
 * Rejects with an Error that says what is wrong if the database can't be reached or was made by a newer version.
 */
export async function openPostgres(
  url: string,
  access: OpenMode,
  connections: number,
  timeouts: StoreTimeouts,
): Promise<Store> {
  const secret = await prepareDatabase(url, access);
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max: connections,
    min: 1, // that stays, by which others see that there is a service
    idleTimeoutMillis: timeouts.idle,
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    query_timeout: timeouts.answer,
  });
  // A connection that breaks while nobody uses it: the pool replaces it.
  pool.on("error", () => {});
  const figures = createQueryMetrics(() => {
    const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
    return { used: totalCount - idle, idle, waiting, max: connections };
  });

  const ask = async (name: keyof typeof statements, ...values: unknown[]): Promise<Row[]> => {
    if (pool.waitingCount >= connections * mostWaiting) throw new Unavailable(busy);
    const since = performance.now();
    const text = statements[name];
    const run = () => pool.query({ name, text, values });
    const fail = (error: unknown) => {
      throw pool.ending ? error : toStoreError(error);
    };
    const answer = queryChannel
      .tracePromise(run, { system: "postgresql", text })
      .finally(() => figures.observeQuery(methods[name], since));
    return answer.then(({ rows }) => rows, fail);
  };
  const one = async (...call: Parameters<typeof ask>) => (await ask(...call))[0];

  // Up to twenty old records go for ten new ones: none piles up. One statement at a time, since nobody waits for it.
  let claims = 0;
  let forgetting = false;
  const forget = async (before: number, made: number) => {
    claims += made;
    if (forgetting) return;
    forgetting = true;
    try {
      while (claims >= 10) claims = (await ask("forget", before)).length > 0 ? claims - 10 : 0;
    } finally {
      forgetting = false;
    }
  };

  // Gives each pet in its place, or nothing where its key has been used, by another of them also.
  const insert = coalesce<Asked, Pet | undefined>(room, async (all) => {
    figures.observeBatch("pets_create", all.length);
    const now = Date.now();
    const used = new Set<string>();
    const asked = all.filter(({ once }) => {
      const name = once && `${once.caller} ${once.key}`;
      return name === undefined || (!used.has(name) && used.add(name));
    });
    const column = (read: (one: Asked) => unknown) => asked.map((one) => read(one) ?? null);
    const rows = await ask(
      "create",
      column(({ once }) => once?.caller),
      column(({ once }) => once?.key),
      column(({ once }) => once?.digest),
      now,
      now - idempotencyWindow,
      ...newPetColumns.map(({ field }) => column(({ pet }) => pet[field])),
    );
    forget(now - idempotencyWindow, used.size).catch(() => {}); // the next one does what it did not
    const ids = new Map(rows.map(({ id, place }) => [asked[Number(place) - 1], id]));
    return all.map((one) => (ids.has(one) ? toPet({ ...one.pet, id: ids.get(one) }) : undefined));
  });

  const list = async ({ limit, after = 0n, ...filter }: PetQuery): Promise<Page> => {
    const { status, ...others } = filter;
    others satisfies Record<string, never>; // a filter of the document that has no query here
    const rows = await (status === undefined
      ? ask("list", after, limit + 1)
      : ask("listByStatus", status, after, limit + 1));
    return toPage(rows, limit);
  };
  const asked = new Map<string, { page: Promise<Page>; calls: (RunInContext | undefined)[] }>();

  const recall = async ({ caller, key, digest }: IdempotencyKey): Promise<CreateResult> => {
    const record = await one("recall", caller, key, Date.now() - idempotencyWindow);
    // Another process, whose clock is ahead, let go of it in between.
    if (record === undefined) throw new Unavailable(busy);
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    return { outcome: "repeated", pet: toPet(record) as Pet };
  };

  return {
    pets: {
      // Who asks the same in a turn of the event loop shares the answer.
      list(query) {
        const name = JSON.stringify({ ...query, after: String(query.after) });
        const known = asked.get(name);
        known?.calls.push(captureContext());
        if (known !== undefined) return known.page;
        const calls = [captureContext()];
        const page = endOfTurn().then(() => {
          asked.delete(name);
          return runForCalls(calls, () => list(query));
        });
        asked.set(name, { page, calls });
        return page;
      },
      find: coalesce(room, async (ids) => {
        figures.observeBatch("pets_find", ids.length);
        const found = new Map((await ask("find", [...new Set(ids)])).map((row) => [row.id, row]));
        return ids.map((id) => toPet(found.get(id)));
      }),
      async create(pet, once) {
        const made = await insert({ pet, once });
        if (made !== undefined) return { outcome: "created", pet: made };
        if (once !== undefined) return recall(once);
        throw new Unavailable(busy); // nobody has a turn: somebody took the secret away
      },
    },
    keys: {
      create: async (name, hash, { expiresAt, operator = false } = {}) =>
        (await one("createKey", name, hash, Date.now(), expiresAt?.getTime() ?? null, Number(operator))) !== undefined,
      // Sorted here: the order of a text column depends on the database's locale.
      list: async () =>
        (await ask("listKeys")).map((row) => toKey(row) as Key).sort((a, b) => (a.name < b.name ? -1 : 1)),
      find: coalesce(room, async (hashes) => {
        figures.observeBatch("keys_find", hashes.length);
        const found = new Map((await ask("findKeys", [...new Set(hashes)])).map((row) => [row.hash, row]));
        return hashes.map((hash) => toKey(found.get(hash)));
      }),
      revoke: async (name) => (await one("revokeKey", name)) !== undefined,
      async touch(uses) {
        const at = [...uses.values()].map((date) => date.getTime());
        await ask("touchKeys", [...uses.keys()], at);
      },
    },
    deprecated: {
      async add(calls, since) {
        const column = (name: keyof DailyCalls) => calls.map((one) => one[name]);
        await ask("addCalls", column("operation"), column("key"), column("day"), column("count"), since);
      },
      list: async (since) => (await ask("listCalls", since)) as unknown as DailyCalls[],
    },
    metrics: figures,
    secret,
    check: async () => void (await ask("check")),
    close: () => pool.end(),
  };
}
