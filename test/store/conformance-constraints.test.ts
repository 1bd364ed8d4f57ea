// Conformance suite of the stores: unique members, and references to records that exist.
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { ConstraintViolation } from "../../src/lib/index.ts";
import { toScope } from "../../src/store/ids.ts";
import type { Store } from "../../src/store/port.ts";
import { type Collection, scopeFilter } from "../../src/store/records.ts";
import { testStores } from "../support/conformance.ts";

const plain = { idType: "int64", id: "id", properties: ["id"], filters: [] } as const;
const email = { property: "email", type: "string" } as const;
const owners: Collection = { ...plain, name: "owners", uniques: [[email]] };
const vets: Collection = { ...plain, name: "vets", idType: "string" };
const vet = { property: "vet", type: "string", to: "vets", onDelete: "restrict" } as const;
const at = { property: "at", type: "string", kind: "time" } as const;
const visits: Collection = {
  ...plain,
  name: "visits",
  uniques: [[{ property: "vet", type: "string" }, at]],
  references: [vet],
};
const collections = [owners, vets, visits];

const refuses = (members: string[], kind: ConstraintViolation["kind"]) => ({ name: "Error", kind, members });

async function outcomesOf(calls: readonly Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => (one.status === "fulfilled" ? "done" : (one.reason as ConstraintViolation).kind));
}

testStores(
  "creates one of the records that have the same value, also at once and in two processes",
  async (t, { open }) => {
    const [one, other] = [await open({ collections }), await open({ collections })];
    const creates = Array.from({ length: 40 }, (_, index) =>
      [one, other].map((store) => store.records("owners").create({ email: `${index % 20}@x.org`, n: index })),
    );
    const outcomes = await outcomesOf(creates.flat());
    t.equal(outcomes.filter((kind) => kind === "done").length, 20);
    t.equal(outcomes.filter((kind) => kind === "unique").length, 60);
    t.equal(await one.records("owners").count(), 20n);
  },
);

testStores(
  "a change that takes the value of another record is refused, and one of others is not",
  async (t, { open }) => {
    const store = await open({ collections });
    const records = store.records<{ email: string }, object>("owners");
    await records.create({ email: "a" });
    await records.create({ email: "b" });
    await t.rejects(
      records.change(2n, () => ({ email: "a" })),
      refuses(["email"], "unique"),
    );
    t.match(await records.change(2n, () => ({ email: "b", n: 1 })), { outcome: "changed" });
    await t.rejects(
      records.put(9n, () => ({ email: "a" })),
      { message: "Another record of owners has the same email." },
    );
    t.match(await records.remove(1n), { outcome: "changed" });
    t.match(
      await records.change(2n, () => ({ email: "a" })),
      { outcome: "changed" },
      "a value is free after its record",
    );
  },
);

testStores(
  "a value that is missing or null is not compared, and times are compared as instants",
  async (t, { open }) => {
    const store = await open({ collections });
    for (const record of [{}, {}, { email: null }, { email: null }]) await store.records("owners").create(record);
    await store.records("vets").put("v", () => ({}));
    const visits = store.records("visits");
    await visits.create({ vet: "v", at: "2026-01-01T10:00:00Z" });
    for (const at of ["2026-01-01T11:00:00.000+01:00", "2026-01-01t10:00:00z"])
      await t.rejects(visits.create({ vet: "v", at }), refuses(["vet", "at"], "unique"));
    for (const record of [
      { vet: "v", at: "2026-01-01T11:00:00Z" },
      { vet: "v" },
      { vet: "v" },
      { at: "2026-01-01T10:00:00Z" },
    ])
      t.match(await visits.create(record), { outcome: "created" });
  },
);

testStores("values are unique within a scope, and long texts as a whole", async (t, { open }) => {
  const books: Collection = {
    ...plain,
    name: "books",
    isScoped: true,
    filters: [scopeFilter],
    uniques: [[{ property: "title", type: "string" }]],
  };
  const store = await open({ collections: [books] });
  const title = "x".repeat(9_000);
  const create = (shop: string, text: string) =>
    store.records("books").create({ title: text }, undefined, toScope([shop]));
  await create("a", title);
  t.match(await create("b", title), { outcome: "created" });
  t.match(await create("a", `${title}y`), { outcome: "created" });
  await t.rejects(create("a", title), refuses(["title"], "unique"));
});

testStores("a record refers to one that exists, which can't be deleted then", async (t, { open }) => {
  const store = await open({ collections });
  const [vets, visits] = [store.records("vets"), store.records("visits")];
  await t.rejects(visits.create({ vet: "v" }), {
    message: "No record of vets has the id in vet.",
    ...refuses(["vet"], "unknown"),
  });
  await vets.put("v", () => ({}));
  const { id } = (await visits.create({ vet: "v" })) as { id: bigint };
  await t.rejects(
    visits.change(id, () => ({ vet: "w" })),
    refuses(["vet"], "unknown"),
  );
  await t.rejects(vets.remove("v"), {
    message: "Records of visits refer to it by vet.",
    ...refuses(["vet"], "referred"),
  });
  t.match(await vets.change("v", () => ({ name: "V" })), { outcome: "changed" });
  await visits.remove(id);
  t.match(await vets.remove("v"), { outcome: "changed" });
});

testStores("a reference to nothing can be of any length", async (t, { open }) => {
  const store = await open({ collections });
  const long = randomBytes(9_000).toString("hex");
  await t.rejects(store.records("visits").create({ vet: long }), refuses(["vet"], "unknown"));
});

for (const [onDelete, expected] of [
  ["cascade", undefined],
  ["setNull", '{"id":1,"a":1.50,"owner":{"n":"x","id":null},"z":12345678901234567890}'],
  ["removeMember", '{"id":1,"a":1.50,"owner":{"n":"x"},"z":12345678901234567890}'],
] as const)
  testStores(
    `${onDelete} changes what refers to a record that is deleted, and nothing else of it`,
    async (t, { open, query }) => {
      const reference = { property: "owner", member: "id", type: "int64", to: "owners", onDelete } as const;
      const pets: Collection = { ...plain, name: "pets2", references: [reference], indexes: [[{ path: ["a"] }]] };
      const store = await open({ collections: [{ ...plain, name: "owners" }, pets] });
      await store.records("owners").create({});
      await store.records("pets2").create({ owner: { n: "x", id: 1 } });
      const table = store.kind === "sqlite" ? "pets2" : "petstore.pets2";
      await query(`UPDATE ${table} SET record = '{"id":1,"a":1.50,"owner":{"n":"x","id":1},"z":12345678901234567890}'`);
      await store.records("owners").remove(1n);
      t.equal((await store.records("pets2").find(1n))?.text, expected);
    },
  );

testStores("a member of a reference can have any name", async (t, { open }) => {
  for (const [index, property] of ["$body$", "o'neil", "a\\b", 'a"b'].entries()) {
    const reference = { property, type: "int64", to: "owners", onDelete: "setNull" } as const;
    const name = `pets${index}`;
    const store = await open({
      collections: [
        { ...plain, name: "owners" },
        { ...plain, name, references: [reference] },
      ],
    });
    const { id } = (await store.records("owners").create({})) as { id: bigint };
    await store.records(name).create({ [property]: id });
    await store.records("owners").remove(id);
    t.equal((await store.records(name).find(1n))?.text, `{"id":1,${JSON.stringify(property)}:null}`);
  }
});

testStores("a tree of records of one collection is deleted as a whole", async (t, { open }) => {
  const reference = { property: "parent", type: "int64", to: "nodes", onDelete: "cascade" } as const;
  const store = await open({ collections: [{ ...plain, name: "nodes", references: [reference] }] });
  const nodes = store.records("nodes");
  for (const parent of [null, 1, 1, 2, 4, null]) await nodes.create({ parent });
  await nodes.remove(1n);
  t.match(await nodes.list({ limit: 9 }), { records: { text: '[{"id":6,"parent":null}]' } });
});

testStores("no record refers to one that is deleted at the same time", async (t, { open }) => {
  const [one, other] = [await open({ collections }), await open({ collections })];
  for (let round = 0; round < 40; round++) {
    await one.records("vets").put("v", () => ({}));
    const [removed, created] = await outcomesOf([
      other.records("vets").remove("v"),
      setTimeout(Math.random() * 2).then(() => one.records("visits").create({ vet: "v" })),
    ]);
    const exists = (await one.records("vets").find("v")) !== undefined;
    const count = await one.records("visits").count();
    t.ok(exists ? count === 1n : count === 0n, `${removed}, ${created}`);
    await one
      .records("visits")
      .removeBelow("", 0)
      .catch(() => {});
    const { last } = await one.records("visits").list({ limit: 1 });
    if (last !== undefined) await one.records("visits").remove(last);
  }
});

testStores(
  "a store whose records violate a new constraint is not opened, and the error has their ids",
  async (t, { open }) => {
    const bare = [{ ...plain, name: "owners", uniques: [] }, { ...plain, name: "visits", uniques: [] }, vets];
    const store = await open({ collections: bare });
    for (const one of ["a", "b", "a"]) await store.records("owners").create({ email: one });
    await t.rejects(open({ collections }), /records of owners have the same email, which must be unique: 1 and 3\./);
    await store.records("owners").remove(3n);
    await store.records("vets").put("v", () => ({ vet: "x" }));
    await store.records("visits").create({ vet: "v" });
    await store.records("visits").create({ vet: "w" });
    await t.rejects(open({ collections }), /records of visits have in vet the id of no record of vets: 2\./);
    await store.records("visits").remove(2n);
    const checked = await open({ collections });
    await t.rejects(
      store.records("owners").create({ email: "a" }),
      Error,
      "also for a process that does not know the constraint",
    );
    await open({ collections: bare });
    t.match(
      await checked.records("owners").create({ email: "a" }),
      { outcome: "created" },
      "one that is not declared any more is removed",
    );
  },
);

testStores("a call that violates a constraint ends its transaction, and no other one", async (t, { open }) => {
  const store: Store = await open({ collections });
  await store.records("owners").create({ email: "a" });
  const work = (text: string) =>
    store.transaction(async (records) => {
      await records("vets").put(text, () => ({}));
      await records("owners")
        .create({ email: text })
        .catch(() => {});
      return text;
    });
  const outcomes = await outcomesOf(["a", "b", "c"].map(work));
  t.same(outcomes, ["unique", "done", "done"]);
  t.same(await Promise.all(["a", "b", "c"].map(async (id) => (await store.records("vets").find(id)) !== undefined)), [
    false,
    true,
    true,
  ]);
});
