// The load of a soak run: concurrent clients that send valid and invalid requests until they are stopped.
import { createRandom, type Random } from "../random.ts";
import { pause } from "../wait.ts";
import type { CheckedClient } from "./checked-client.ts";
import { invalidRequests } from "./invalid-requests.ts";
import { createPet, type Model, type Pet, statuses, toJson, verifyList } from "./model.ts";

const clients = 24;
const maxThinkTime = 10; // milliseconds between two actions of a client
const maxPets = 200_000; // in a run of any duration, so that listing them takes seconds
const initialPets = 2_000;
const retryTimeout = 5_000; // milliseconds for unacknowledged creates after the stop

/** The options of the load. */
export interface LoadOptions {
  client: CheckedClient;
  model: Model;
  seed: number;
  /** Runs `petstore ARGS…`. Returns its output, or undefined if it failed. */
  command(...args: string[]): Promise<string | undefined>;
  /** Returns the elapsed part of the run, from 0 to 1. */
  progress(): number;
}

type Action = (random: Random) => Promise<unknown>;

/** Clients that run until `stop` is called. */
export class Load {
  readonly #options: LoadOptions;
  readonly #revokedKeys: string[] = [];
  readonly #done: Promise<unknown>;
  #isRunning = true;
  #retryUntil = Number.POSITIVE_INFINITY;

  constructor(options: LoadOptions) {
    this.#options = options;
    const users = Array.from({ length: clients }, (_, index) => this.#runClient(index));
    this.#done = Promise.all([...users, this.#verifyLists(), this.#rotateKeys()]);
    this.#done.catch(() => {}); // `stop` rejects
  }

  /** Stops the clients after their current actions. Rejects if one of them has failed. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#retryUntil = Math.min(this.#retryUntil, performance.now() + retryTimeout);
    await this.#done;
  }

  async #runClient(index: number): Promise<void> {
    const repeat = (times: number, action: Action) => Array<Action>(times).fill(action);
    const actions = [
      ...repeat(9, this.#get),
      ...repeat(4, this.#list),
      ...repeat(3, this.#create),
      this.#repeatCreate,
      this.#sendInvalidRequest,
      this.#useRevokedKey,
    ];
    const random = createRandom(this.#options.seed + index);
    for (; this.#isRunning; await pause(random.int(maxThinkTime))) await random.pick(actions)(random);
  }

  // Returns whether there was a definite response.
  async #post(n: number, key?: string, pet = createPet(n), status = 201): Promise<boolean> {
    const { client, model } = this.#options;
    const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    const response = await client.call({ method: "POST", path: "/v1/pets", status, headers, body: toJson(pet) });
    const contradiction = response?.status === 201 && model.acknowledge(n, response.body as Pet);
    if (contradiction) client.report("contradictions", contradiction);
    return response !== undefined;
  }

  // Every third pet has no idempotency key. Such a create can't be retried, so that it may be lost without a response.
  #keyOf(n: number): string | undefined {
    return n % 3 === 0 ? undefined : `soak-${n}`;
  }

  #pickAcknowledged(random: Random): number | undefined {
    const { acknowledged } = this.#options.model;
    return acknowledged[random.int(acknowledged.length)];
  }

  #create = async () => {
    const { model, progress } = this.#options;
    if (model.sent > initialPets + maxPets * progress()) return;
    const n = model.take();
    const key = this.#keyOf(n);
    let isDone = await this.#post(n, key);
    while (key && !isDone && performance.now() < this.#retryUntil) isDone = await this.#post(n, key);
  };

  #repeatCreate = async (random: Random) => {
    const n = this.#pickAcknowledged(random);
    const key = n && this.#keyOf(n);
    if (!key) return;
    if (random.int(2) === 0) await this.#post(n, key);
    else await this.#post(n, key, createPet(n + 1), 422);
  };

  #get = async (random: Random) => {
    const { client, model } = this.#options;
    const id = model.idOf(this.#pickAcknowledged(random) ?? -1);
    if (id === undefined) return;
    const response = await client.call({ method: "GET", path: `/v1/pets/${id}`, status: 200 });
    const pet = response?.body as Pet | undefined;
    if (pet) client.checkPet(pet);
    if (pet && Number(pet.id) !== id) client.report("contradictions", `the response to ${id} is ${pet.id}`);
  };

  #list = async (random: Random) => {
    const { client } = this.#options;
    const status = statuses[random.int(4)];
    let pagesLeft = random.int(4);
    for await (const pets of client.pages(`limit=${1 + random.int(100)}${status ? `&status=${status}` : ""}`)) {
      const other = status && pets.find((pet) => pet.status !== status);
      if (other) client.report("contradictions", `${other.name} is not ${status}`);
      if (pagesLeft-- === 0 || !this.#isRunning) return;
    }
  };

  #sendInvalidRequest = (random: Random) => this.#options.client.call(random.pick(invalidRequests));

  #useRevokedKey = async (random: Random) => {
    const key = random.pick(this.#revokedKeys);
    if (key) await this.#options.client.call({ method: "GET", path: "/v1/pets", status: 401, key });
  };

  // Compares the whole list, or the list of a status, with the model, again and again.
  async #verifyLists(): Promise<void> {
    const { client, model } = this.#options;
    for (let n = 0; this.#isRunning; n++) {
      const status = statuses[n % 4];
      const query = `limit=100${status ? `&status=${status}` : ""}`;
      const { lost, duplicated } = await verifyList(model, this.#pagesWhileRunning(query), status);
      if (this.#isRunning && lost + duplicated > 0)
        client.report("contradictions", `${query}: ${lost} lost, ${duplicated} duplicated`);
      await pause(100);
    }
  }

  async *#pagesWhileRunning(query: string): AsyncGenerator<Pet[]> {
    for await (const page of this.#options.client.pages(query)) {
      if (!this.#isRunning) return;
      yield page;
    }
  }

  // Creates, uses and revokes API keys. A revoked key is invalid in all processes at once.
  async #rotateKeys(): Promise<void> {
    const { client, command } = this.#options;
    for (let n = 0; ; n++) {
      await pause(1_000);
      if (!this.#isRunning) return;
      const name = `soak-${n}`;
      const key = (await command("keys", "create", name))?.trim();
      if (!key) continue; // the store is unavailable
      const use = (status: number) =>
        Promise.all(Array.from({ length: 8 }, () => client.call({ method: "GET", path: "/v1/pets", status, key })));
      await use(200);
      if ((await command("keys", "revoke", name)) === undefined) continue;
      await use(401);
      if (this.#revokedKeys.push(key) > 100) this.#revokedKeys.shift();
    }
  }
}
