// Model-based test: runs random steps against the service and against a model, a list in memory, and compares the
// responses. The steps create, list, get, and follow links to next pages.
import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { anyField, anyNewPet } from "./support/arbitraries.ts";
import { type NewPet, type Pet, toExact, toPetJson } from "./support/pets.ts";
import { type Service, start } from "./support/service.ts";

/** A partly read list. `link` is the URL of the page that begins after the id `after`. */
interface Walk {
  status: string | undefined;
  limit: number;
  after: bigint;
  link: string;
}

interface Model {
  pets: Pet[];
  walks: Walk[];
  /** The first body that was sent with each Idempotency-Key, and the pet that it created. */
  calls: Map<string, { sent: NewPet; pet: Pet }>;
  steps: number;
}

type Step = fc.AsyncCommand<Model, Service>;

const maxSteps = 2_000;

function step(name: string, run: (model: Model, service: Service) => Promise<void>): Step {
  return {
    check: ({ steps }) => steps < maxSteps,
    toString: () => name,
    run: async (model, service) => {
      model.steps += 1;
      await run(model, service);
    },
  };
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const statuses = anyField("status") as fc.Arbitrary<string>;
const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, value);

const creates = fc.tuple(anyNewPet, maybe(fc.constantFrom("a", "b", "c"))).map(([sent, key]) =>
  step(`create ${sent.name} with ${key}`, async (model, { call }) => {
    const response = await call("POST", "/v1/pets", {
      json: toPetJson(sent),
      headers: key ? { "idempotency-key": key } : {},
    });
    const before = key === undefined ? undefined : model.calls.get(key);
    if (before !== undefined) {
      const same = JSON.stringify(before.sent, digits) === JSON.stringify(sent, digits);
      return deepStrictEqual(
        [response.status, same && toExact(response.body as object)],
        same ? [201, before.pet] : [422, false],
      );
    }
    const pet = { id: BigInt(model.pets.length + 1), ...sent };
    deepStrictEqual([response.status, toExact(response.body as object)], [201, pet]);
    model.pets.push(pet);
    if (key !== undefined) model.calls.set(key, { sent, pet });
  }),
);

const lists = fc.tuple(maybe(statuses), fc.integer({ min: 1, max: 100 })).map(([status, limit]) =>
  step(`list ${status} ${limit}`, async (model, service) => {
    const query = new URLSearchParams({ limit: String(limit), ...(status && { status }) });
    await follow(model, service, { status, limit, after: 0n, link: `/v1/pets?${query}` });
  }),
);

const pages = fc.nat().map((n) =>
  step(`page ${n}`, async (model, service) => {
    const [walk] = model.walks.splice(n % Math.max(1, model.walks.length), 1);
    if (walk) await follow(model, service, walk);
  }),
);

async function follow({ pets, walks }: Model, { call }: Service, walk: Walk): Promise<void> {
  const { status, body, headers } = await call("GET", walk.link);
  const remaining = pets.filter(
    ({ id, status }) => id > walk.after && (walk.status === undefined || status === walk.status),
  );
  const page = remaining.slice(0, walk.limit);
  const [, link] = /<([^>]*)>; rel="next"/.exec(headers.link ?? "") ?? [];
  deepStrictEqual(
    [status, (body as object[]).map(toExact), link !== undefined],
    [200, page, remaining.length > page.length],
  );
  const last = page.at(-1);
  if (link !== undefined && last) walks.push({ ...walk, after: last.id, link });
}

const gets = fc.oneof(fc.bigInt({ min: -1n, max: 500n }), int64).map((id) =>
  step(`get ${id}`, async ({ pets }, { call }) => {
    const { status, body } = await call("GET", `/v1/pets/${id}`);
    const pet = pets.find((one) => one.id === id);
    deepStrictEqual([status, pet && toExact(body as object)], [pet ? 200 : 404, pet]);
  }),
);

function digits(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

t.test("The service returns the same responses as a model, over 2,000 random steps", async (t) => {
  const service = await start(t);
  // All runs share one store and one model, so fast-check can't shrink a failure.
  const model: Model = { pets: [], walks: [], calls: new Map(), steps: 0 };
  const commands = fc.commands([creates, creates, lists, pages, pages, gets], { maxCommands: 100, size: "max" });
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => fc.asyncModelRun(() => ({ model, real: service }), steps)),
    { numRuns: 80, endOnFailure: true },
  );
  t.comment(`${model.steps} steps, ${model.pets.length} pets, ${model.walks.length} partly read lists`);
  t.ok(model.steps >= maxSteps, `${model.steps} steps`);
  t.ok(model.pets.length > 300 && model.calls.size === 3);
});
