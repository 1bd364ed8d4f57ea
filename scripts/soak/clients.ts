// Clients that do all that the document lets them do, right and wrong, until they are told to stop.
import { setTimeout as pause } from "node:timers/promises";
import { createRandom, type Random } from "../../test/support/random.ts";
import type { Caller } from "./caller.ts";
import { mistakes } from "./mistakes.ts";
import { judge, type Model, type Pet, petOf, statuses, toJson } from "./model.ts";

const clients = 24;
const mostPets = 200_000; // of a run, however long: a list of them is read in seconds
const lastTries = 5_000; // milliseconds, when all is quiet again
const thinking = 10; // milliseconds between two acts, at most

export interface Work {
  caller: Caller;
  model: Model;
  seed: number;
  /** Runs `petstore …`: what it printed, or nothing where it failed. */
  command(...args: string[]): Promise<string | undefined>;
  /** How much of the run is over, from 0 to 1. */
  share(): number;
}

/** Starts the clients. What it gives stops them, once each has finished what it does. */
export function startClients({ caller, model, seed, command, share }: Work): () => Promise<void> {
  const { call, complain, show, pages } = caller;
  const revoked: string[] = [];
  let going = true;
  let end = Number.POSITIVE_INFINITY;

  const post = async (n: number, key?: string, sent = petOf(n), status = 201): Promise<boolean> => {
    const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    const answer = await call({ method: "POST", path: "/v1/pets", status, headers, body: toJson(sent) });
    const wrong = answer?.status === 201 && model.acknowledge(n, answer.body as Pet);
    if (wrong) complain("wrong", wrong);
    return answer !== undefined;
  };
  // Two of three have one: the others are sent once, and where no answer comes nobody knows what became of them.
  const keyOf = (n: number) => (n % 3 === 0 ? undefined : `soak-${n}`);
  const some = (random: Random) => model.acknowledged[random.int(model.acknowledged.length)];

  const create = async () => {
    if (model.sent() > 2_000 + mostPets * share()) return;
    const n = model.take();
    const key = keyOf(n);
    let done = await post(n, key);
    while (key && !done && performance.now() < end) done = await post(n, key);
  };
  const repeat = async (random: Random) => {
    const n = some(random);
    const key = n && keyOf(n);
    if (!key) return;
    if (random.int(2) === 0) await post(n, key);
    else await post(n, key, petOf(n + 1), 422);
  };
  const get = async (random: Random) => {
    const id = model.idOf(some(random) ?? -1);
    if (id === undefined) return;
    const pet = (await call({ method: "GET", path: `/v1/pets/${id}`, status: 200 }))?.body as Pet | undefined;
    if (pet) show(pet);
    if (pet && Number(pet.id) !== id) complain("wrong", `${pet.id} was the answer for ${id}`);
  };
  const list = async (random: Random) => {
    const status = statuses[random.int(4)];
    let left = random.int(4);
    for await (const pets of pages(`limit=${1 + random.int(100)}${status ? `&status=${status}` : ""}`)) {
      const other = status && pets.find((pet) => pet.status !== status);
      if (other) complain("wrong", `${other.name} is not ${status}`);
      if (left-- === 0 || !going) return;
    }
  };
  const mistake = (random: Random) => call(mistakes[random.int(mistakes.length)] as (typeof mistakes)[number]);
  const useRevoked = async (random: Random) => {
    const key = revoked[random.int(revoked.length)];
    if (key) await call({ method: "GET", path: "/v1/pets", status: 401, key });
  };
  const acts = [...Array(9).fill(get), ...Array(4).fill(list), ...Array(3).fill(create), repeat, mistake, useRevoked];

  const behave = async (client: number) => {
    for (const random = createRandom(seed + client); going; await pause(random.int(thinking)))
      await acts[random.int(acts.length)](random);
  };
  // Reads the whole list time and again, or all of a status.
  const readAll = async () => {
    const whileGoing = async function* (query: string) {
      for await (const page of pages(query)) {
        if (!going) return;
        yield page;
      }
    };
    for (let n = 0; going; n++) {
      const status = statuses[n % 4];
      const query = `limit=100${status ? `&status=${status}` : ""}`;
      const { lost, doubled } = await judge(model, whileGoing(query), status);
      if (going && lost + doubled > 0) complain("wrong", `${query}: ${lost} lost, ${doubled} doubled`);
      await pause(100);
    }
  };
  // Makes keys, uses them, and revokes them: at once they are no key any more, for any of the processes.
  const turnKeys = async () => {
    for (let n = 0; ; n++) {
      await pause(1_000);
      if (!going) return;
      const name = `soak-${n}`;
      const key = (await command("keys", "create", name))?.trim();
      if (!key) continue; // the store was away
      const use = (status: number) =>
        Promise.all(Array.from({ length: 8 }, () => call({ method: "GET", path: "/v1/pets", status, key })));
      await use(200);
      if ((await command("keys", "revoke", name)) === undefined) continue;
      await use(401);
      if (revoked.push(key) > 100) revoked.shift();
    }
  };
  const all = Promise.all([...Array.from({ length: clients }, (_, client) => behave(client)), readAll(), turnKeys()]);
  all.catch(() => {}); // told to who stops them
  return async () => {
    going = false;
    end = Math.min(end, performance.now() + lastTries);
    await all;
  };
}
