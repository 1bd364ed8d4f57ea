// The handlers: pagination of listPets, and the Idempotency-Key of createPet.
import t from "tap";
import { parse } from "yaml";
import { documentText } from "../support/files.ts";
import type { Pet } from "../support/pets.ts";
import { addKey, minimalPet, start } from "../support/service.ts";

const { parameters } = parse(documentText).paths["/pets"].get;
const defaultLimit: number = parameters.find(({ name }: { name: string }) => name === "limit").schema.default;

t.test("listPets links to the next page", async (t) => {
  const service = await start(t);
  const total = 3 * defaultLimit;
  const ids: bigint[] = [];
  for (let n = 0; n < total; n++)
    ids.push(BigInt((await service.create({ ...minimalPet, ...(n % 2 && { status: "sold" }) })).id));
  const follow = async (path: string) => {
    const pages: Pet[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const { status, headers, body } = await service.call("GET", next);
      t.equal(status, 200);
      pages.push(body as Pet[]);
      next = /<([^>]*)>; rel="next"/.exec(headers.link ?? "")?.[1];
    }
    return pages;
  };
  const lengths = (pages: Pet[][]) => pages.map((page) => page.length);
  const pages = await follow("/v1/pets");
  t.same(lengths(pages), Array(3).fill(defaultLimit), "no empty page at the end");
  t.same(
    pages.flat().map((pet) => BigInt(pet.id)),
    ids,
    "each pet once, in order of id",
  );
  const limit = defaultLimit - 1;
  t.same(lengths(await follow(`/v1/pets?limit=${limit}`)), [limit, limit, limit, 3]);
  const sold = (await follow("/v1/pets?status=sold&limit=7")).flat();
  t.same(
    sold.map(({ status }) => status),
    Array(Math.floor(total / 2)).fill("sold"),
    "the filter applies to all pages",
  );
  t.match(
    (await service.call("GET", "/v1/pets")).headers.link,
    new RegExp(`^</v1/pets\\?limit=${defaultLimit}&cursor=[\\w-]{22}>; rel="next"$`),
  );
});

t.test("listPets links to the first, the previous and the next page", async (t) => {
  const service = await start(t);
  for (let n = 0; n < 7; n++) await service.create({ ...minimalPet, status: "sold" });
  const read = async (path: string) => {
    const { headers, body } = await service.call("GET", path);
    const links = [...`${headers.link ?? ""}`.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]);
    return { ids: (body as Pet[]).map(({ id }) => Number(id)), links: Object.fromEntries(links) };
  };
  const first = await read("/v1/pets?status=sold&limit=3");
  t.same([first.ids, Object.keys(first.links)], [[1, 2, 3], ["next"]]);
  const second = await read(first.links.next);
  t.same(
    [second.ids, Object.keys(second.links)],
    [
      [4, 5, 6],
      ["first", "prev", "next"],
    ],
  );
  t.equal(second.links.first, "/v1/pets?limit=3&status=sold");
  const third = await read(second.links.next);
  t.same([third.ids, Object.keys(third.links)], [[7], ["first", "prev"]]);
  const back = await read(third.links.prev);
  t.same(back, { ids: [4, 5, 6], links: { ...second.links, prev: back.links.prev } }, "the same page");
  t.same(await read(back.links.next), third);
  const start3 = await read(back.links.prev);
  t.same(
    [start3.ids, Object.keys(start3.links)],
    [
      [1, 2, 3],
      ["first", "next"],
    ],
  );
  t.same((await read(third.links.prev.replace("limit=3", "limit=5"))).ids, [2, 3, 4, 5, 6], "another limit");
  await service.create({ ...minimalPet, status: "sold" });
  t.same((await read(third.links.prev)).ids, [4, 5, 6], "a new pet changes no earlier page");
  t.same(Object.keys((await read("/v1/pets?limit=100")).links), [], "a list of one page has no links");
  t.equal((await service.call("GET", third.links.prev.replace("status=sold", "status=pending"))).status, 400);
});

t.test("listPets rejects cursors that were changed or belong to another filter", async (t) => {
  const service = await start(t);
  for (let n = 0; n < 6; n++) await service.create({ ...minimalPet, status: "sold" });
  const { headers } = await service.call("GET", "/v1/pets?limit=5&status=sold");
  const cursor = /cursor=([\w-]+)/.exec(headers.link as string)?.[1] as string;
  const replaceAt = (at: number) => cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
  const withId = (id: bigint) => {
    const bytes = Buffer.from(cursor, "base64url");
    bytes.writeBigInt64BE(id);
    return `status=sold&cursor=${bytes.toString("base64url")}`;
  };
  for (const query of [
    `cursor=${cursor}`,
    withId(0n),
    withId(-(2n ** 63n)),
    `status=available&cursor=${cursor}`,
    `status=sold&cursor=${replaceAt(20)}`,
    `status=sold&cursor=${cursor}A`,
    `status=sold&cursor=${cursor}%3D`,
    "cursor=",
    "cursor=5",
    "cursor=%zz",
  ])
    t.match(await service.call("GET", `/v1/pets?${query}`), { status: 400, body: { code: "invalid_cursor" } }, query);
  const query = `status=sold&cursor=${cursor}`;
  t.match(await service.call("GET", `/v1/pets?${query}&limit=3`), { status: 200 }, "the limit may change");
  t.match(await service.call("GET", `/v1/pets?cursor=${"A".repeat(201)}`), {
    status: 400,
    body: { code: "invalid_parameter" },
  });
  for (const id of [2n ** 63n - 1n, 1n - 2n ** 63n])
    t.equal((await service.call("GET", `/v1/pets?${withId(id)}`)).status, 200, "any id is a place in the list");
});

const service = await start(t);
const post = (key: string | string[], json: unknown = minimalPet, caller = service.key) =>
  service.call("POST", "/v1/pets", { json, key: caller, headers: { "idempotency-key": key } });
const count = async () => ((await service.call("GET", "/v1/pets?limit=100")).body as Pet[]).length;

t.test("createPet returns the first response again for the same Idempotency-Key, body and caller", async (t) => {
  const first = await post("a");
  t.match(await post("a"), { status: 201, text: first.text });
  t.match(await post('"a"'), { status: 201, text: first.text }, "quotes are not part of the key");
  t.match(
    await post("a", '{ "categoryId": 3.0, "name": "\\u0054om" }'),
    { status: 201, text: first.text },
    "the same body in another notation",
  );
  t.equal(await count(), 1);
  t.match(await post("a", { ...minimalPet, categoryId: 4 }), {
    status: 422,
    body: { code: "idempotency_key_reused" },
  });
  t.match(await post("a", { ...minimalPet, status: "sold" }), { status: 422 });
  t.match(await post("a", {}), { status: 400 }, "an invalid body is still invalid");
  t.equal(await count(), 1);
  const other = await addKey(service.store, "other");
  t.not((await post("a", minimalPet, other)).text, first.text, "keys of another caller are independent");
  t.equal(await count(), 2);
});

t.test("createPet creates one pet for 20 concurrent requests with the same Idempotency-Key", async (t) => {
  const before = await count();
  const responses = await Promise.all(Array.from({ length: 20 }, () => post("race")));
  t.equal(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size, 1, "all get the same response");
  t.equal(await count(), before + 1);
});

t.test("createPet accepts 1 to 255 ASCII characters as Idempotency-Key, and rejects others", async (t) => {
  for (const key of [
    "x".repeat(255),
    `"${"y".repeat(255)}"`,
    '"with space, comma and \\"quotes\\" and \\\\"',
    "!#$%&'*+-.^_`|~:/?@[]{}()<>=;",
  ])
    t.match(await post(key), { status: 201 }, key.slice(0, 50));
  for (const key of [
    "",
    "x".repeat(256),
    `"${"y".repeat(256)}"`,
    '""',
    '"open',
    'a"b',
    "two words",
    "a,b",
    ["a", "b"],
    "é",
    '"a\\b"',
  ])
    t.match(
      await post(key),
      { status: 400, body: { code: "invalid_parameter", message: /Idempotency-Key' must be 1 to 255/ } },
      `rejects ${String(key).slice(0, 50)}`,
    );
});

t.test("createPet returns the URL of the pet, and says if an earlier request has created it", async (t) => {
  const { call } = await start(t);
  const create = async (name: string) => {
    const { status, headers } = await call("POST", "/v1/pets", {
      json: { name, categoryId: 7 },
      headers: { "idempotency-key": "k" },
    });
    return [status, headers.location, headers["idempotency-replayed"]];
  };
  t.same(await create("Rex"), [201, "/v1/pets/1", undefined]);
  t.same(await create("Rex"), [201, "/v1/pets/1", "true"]);
  t.same(await create("Tom"), [422, undefined, undefined]);
  t.match((await call("GET", "/v1/pets/1")).body, { name: "Rex" });
  const { call: callPublic } = await start(t, { settings: { BASE_URL: "https://pets.example/shop/v1" } });
  const { headers } = await callPublic("POST", "/v1/pets", { json: minimalPet });
  t.equal(headers.location, "https://pets.example/shop/v1/pets/1");
});
