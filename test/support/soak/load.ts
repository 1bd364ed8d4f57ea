// The load of a soak run: concurrent clients that send valid and invalid requests until they are stopped. The seed
// determines the sequence of operations of each client.
import { createRandom, type Random } from "../random.ts";
import { pause } from "../wait.ts";
import { invalidRequests } from "./invalid-requests.ts";
import { type Status, statuses } from "./numbered-pets.ts";
import { firstPage, type PageRequest, type Recorder } from "./recorder.ts";

const clients = 24;
const maxThinkTime = 10; // milliseconds between two operations of a client
const maxPets = 200_000; // in a run of any duration, so that listing them takes seconds
const initialPets = 2_000;
const recentPets = 10;
const maxRevokedKeys = 100;
const retryTimeout = 5_000; // milliseconds for unacknowledged creates after the stop

/** The options of the load. */
export interface LoadOptions {
  recorder: Recorder;
  seed: number;
  /** Runs `petstore ARGS…`. Returns its output, or undefined if it failed. */
  command(...args: string[]): Promise<string | undefined>;
  /** Returns the elapsed part of the run, from 0 to 1. */
  progress(): number;
}

// The frequency of each operation.
const weights = {
  find: 9,
  list: 4,
  listLast: 3,
  create: 3,
  repeatCreate: 1,
  sendInvalidRequest: 1,
  useRevokedKey: 1,
} as const;
type OperationName = keyof typeof weights;

/** An operation of a plan: its generator, and the time to wait after it in milliseconds. */
export interface PlannedOperation {
  name: OperationName;
  random: Random;
  wait: number;
}

/**
 * Yields the operations of a client without end. Each has its own generator, so that the next one does not depend on how
 * many numbers it takes.
 */
export function* planOperations(seed: number, client: number): Generator<PlannedOperation, never> {
  const names = (Object.keys(weights) as OperationName[]).flatMap((name) => Array(weights[name]).fill(name));
  const random = createRandom(seed * 1_000 + client);
  for (;;)
    yield { name: random.pick(names), random: createRandom(random.int(2 ** 32)), wait: random.int(maxThinkTime) };
}

/** Clients that run until `stop` is called. */
export class Load {
  readonly #options: LoadOptions;
  readonly #revokedKeys: { name: string; key: string }[] = [];
  // The last known page of each list, which changes with each create.
  readonly #lastPages = new Map<Status | undefined, PageRequest>();
  readonly #done: Promise<unknown>;
  #isRunning = true;
  #retryUntil = Number.POSITIVE_INFINITY;

  constructor(options: LoadOptions) {
    this.#options = options;
    const users = Array.from({ length: clients }, (_, index) => this.#runClient(index));
    this.#done = Promise.all([...users, this.#listAll(), this.#rotateKeys()]);
    this.#done.catch(() => {}); // `stop` rejects
  }

  /** Stops the clients after their current operations. Rejects if one of them has failed. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#retryUntil = Math.min(this.#retryUntil, performance.now() + retryTimeout);
    await this.#done;
  }

  async #runClient(index: number): Promise<void> {
    const operations: Record<OperationName, (random: Random) => Promise<unknown>> = {
      find: this.#find,
      list: this.#list,
      listLast: this.#listLast,
      create: this.#create,
      repeatCreate: this.#repeatCreate,
      sendInvalidRequest: this.#sendInvalidRequest,
      useRevokedKey: this.#useRevokedKey,
    };
    for (const { name, random, wait } of planOperations(this.#options.seed, index)) {
      if (!this.#isRunning) return;
      await operations[name](random);
      await pause(wait);
    }
  }

  // Every third pet has no Idempotency-Key. Such a create can't be retried.
  #keyOf(n: number): string | undefined {
    return n % 3 === 0 ? undefined : `soak-${n}`;
  }

  // Every second pick is one of the last pets, which stale data does not contain.
  #pickAcknowledged(random: Random): number | undefined {
    const { acknowledged } = this.#options.recorder;
    const count = random.chance(2) ? Math.min(recentPets, acknowledged.length) : acknowledged.length;
    return acknowledged[acknowledged.length - 1 - random.int(count)];
  }

  #create = async () => {
    const { recorder, progress } = this.#options;
    if (recorder.sent > initialPets + maxPets * progress()) return;
    const n = recorder.take();
    const key = this.#keyOf(n);
    let outcome = await recorder.create(n, { key });
    while (key && outcome === "unknown" && performance.now() < this.#retryUntil)
      outcome = await recorder.create(n, { key });
    const id = recorder.checker.idOf(n);
    if (id !== undefined) await recorder.find(id);
  };

  #repeatCreate = async (random: Random) => {
    const n = this.#pickAcknowledged(random);
    const key = n && this.#keyOf(n);
    if (key) await this.#options.recorder.create(n, { key, conflicting: random.chance(2) });
  };

  #find = async (random: Random) => {
    const { recorder } = this.#options;
    const id = recorder.checker.idOf(this.#pickAcknowledged(random) ?? -1);
    if (id !== undefined) await recorder.find(id);
  };

  #list = async (random: Random) => {
    let pagesLeft = random.int(4);
    for await (const _ of this.#options.recorder.pages(firstPage(1 + random.int(100), statuses[random.int(4)])))
      if (pagesLeft-- === 0 || !this.#isRunning) return;
  };

  #listLast = async (random: Random) => {
    const status = statuses[random.int(4)];
    const request = this.#lastPages.get(status) ?? firstPage(100, status);
    const page = await this.#options.recorder.list(request);
    if (page?.next) this.#lastPages.set(status, page.next);
  };

  #sendInvalidRequest = (random: Random) => this.#options.recorder.client.call(random.pick(invalidRequests));

  #useRevokedKey = async (random: Random) => {
    const revoked = random.pick(this.#revokedKeys);
    if (revoked) await this.#options.recorder.useKey(revoked.name, revoked.key);
  };

  // Reads all pages of all lists, again and again.
  async #listAll(): Promise<void> {
    for (let n = 0; this.#isRunning; n++) {
      for await (const _ of this.#options.recorder.pages(firstPage(100, statuses[n % 4]))) if (!this.#isRunning) return;
      await pause(100);
    }
  }

  // Creates, uses and revokes API keys. Uses each key during its revocation, too.
  async #rotateKeys(): Promise<void> {
    const { recorder, command, seed } = this.#options;
    for (let n = 0; ; n++) {
      await pause(1_000);
      if (!this.#isRunning) return;
      const name = `soak-${seed}-${n}`;
      const created = await recorder.changeKey("createKey", name, () => command("keys", "create", name));
      if (created === undefined) continue; // the store is unavailable
      const key = created.trim();
      const use = () => Promise.all(Array.from({ length: 8 }, () => recorder.useKey(name, key)));
      await use();
      const revocation = recorder.changeKey("revokeKey", name, () => command("keys", "revoke", name));
      for (let isPending = true; isPending; ) {
        await use();
        isPending = await Promise.race([revocation.then(() => false), pause(1, true)]);
      }
      await use();
      if (this.#revokedKeys.push({ name, key }) > maxRevokedKeys) this.#revokedKeys.shift();
    }
  }
}
