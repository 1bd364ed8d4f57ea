// The rules for the values of rows: the integrity check reports each value that the service never writes.
import t from "tap";
import { stores } from "../support/databases.ts";
import { maxInt64, maxName, openPetStore, openPetTables, statusList } from "../support/pets.ts";
import { findProblems, petInSql, petstoreOn, tamper } from "../support/stores.ts";

const hour = 3_600_000; // milliseconds
const now = Date.now();

async function check(url: string): Promise<string[]> {
  const tables = await openPetTables(url, "readonly");
  return findProblems(tables).finally(() => tables.close());
}

const nameRule = "A name has 1 to 64 letters, digits or . _ - @, and begins with a letter, a digit or _.";
const maxId = maxInt64 - 1n;
const idRule = `must be an integer from 1 to ${maxId}.`;
const timeRule = "must be an integer from 0 to 8640000000000000.";
const countRule = `must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}.`;

for (const [kind, create] of Object.entries(stores)) {
  const bytes = (size: number, byte = "ab") =>
    kind === "sqlite" ? `X'${byte.repeat(size)}'` : `'\\x${byte.repeat(size)}'`;
  const digest = (n: number) => bytes(32, String(n).padStart(2, "0"));
  const char = (code: number) => (kind === "sqlite" ? `char(${code})` : `chr(${code})`);
  const setLastIds = (id: bigint) =>
    ["keys", "pets"].map((table) =>
      kind === "sqlite"
        ? `REPLACE INTO sqlite_sequence (rowid, name, seq) VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = '${table}'), '${table}', ${id})`
        : `SELECT setval('${table}_id_seq', ${id})`,
    );

  const insertPet = (id: number | bigint, name: string, categoryId = "1", status?: string) =>
    `INSERT INTO pets VALUES (${id}, ${petInSql(`${kind}:`, { id, name, categoryId, ...(status && { status }) })})`;

  t.test(`${kind}: reports no value that the service can write`, async (t) => {
    const url = await create(t);
    await (await openPetStore(url)).close();
    await tamper(
      url,
      `INSERT INTO keys VALUES (1, 'a', ${digest(1)}, 0, NULL, NULL, 0, NULL, NULL, NULL)`,
      `INSERT INTO keys VALUES (${maxId}, '_.b@c-d', ${digest(2)}, ${now + 23 * hour}, 8640000000000000, ${now}, 1, ${digest(3)}, ${now + hour}, 'read write')`,
      insertPet(1, "''", "-9223372036854775808"),
      insertPet(maxId, `${char(0xfffd)} || 'é🐕'`, "9223372036854775807", "'sold'"),
      `INSERT INTO idempotency (collection, caller, key, digest, record_id, created_at) VALUES ('pets', 0, ' "\\,~', ${digest(1)}, 1, ${now})`,
      `INSERT INTO idempotency (collection, caller, key, digest, record_id, created_at) VALUES ('pets', 1, '${"\\".repeat(255)}', ${digest(1)}, ${maxId}, 0)`,
      `INSERT INTO imports VALUES (${digest(1)}, 3, 2, 1, ${now})`,
      "INSERT INTO deprecated_calls VALUES ('getPet', '', 0, 1)", // of an earlier commit: the table is not used
      ...setLastIds(maxId),
    );
    t.same(await check(url), []);
  });

  t.test(`${kind}: reports each value that the service can't write`, async (t) => {
    const url = await create(t);
    await (await openPetStore(url)).close();
    const expected: string[] = [];
    const insert = async (table: string, values: string, ...problems: string[]) => {
      await tamper(url, `INSERT INTO ${table} VALUES (${values})`);
      expected.push(...problems);
    };
    let keys = 0;
    const insertKey = (id: number | bigint, name: string, values: string, problem: string) =>
      insert("keys", `${id}, ${name}, ${digest(keys++)}, ${values}, NULL, NULL, NULL`, `keys ${id}: ${problem}`);
    await insertKey(-1, "'a'", "0, NULL, NULL, 0", `id ${idRule}`);
    await insertKey(maxInt64, "'b'", "0, NULL, NULL, 0", `id ${idRule}`);
    const badName = `name is not the name of a key. ${nameRule}`;
    await insertKey(1, `'c' || ${char(27)} || '[31m'`, "0, NULL, NULL, 0", badName);
    await insertKey(2, `'c' || ${char(10)}`, "0, NULL, NULL, 0", badName);
    await insertKey(3, "''", "0, NULL, NULL, 0", badName);
    await insertKey(4, `'${"c".repeat(65)}'`, "0, NULL, NULL, 0", badName);
    await insertKey(5, "'e'", "-1, NULL, NULL, 0", `created_at ${timeRule}`);
    await insertKey(6, "'f'", `${now + 25 * hour}, NULL, NULL, 0`, "created_at is in the future.");
    await insertKey(8, "'g'", "0, -1, NULL, 0", `expires_at ${timeRule}`);
    await insertKey(9, "'h'", "0, 8640000000000001, NULL, 0", `expires_at ${timeRule}`);
    await insertKey(10, "'i'", "0, NULL, -1, 0", `last_used_at ${timeRule}`);
    await insertKey(11, "'j'", "0, NULL, NULL, 2", "operator must be an integer from 0 to 1.");
    for (const [id, values, problem] of [
      [12, `${bytes(33)}, 0, NULL, NULL, 0, NULL, NULL, NULL`, "hash must have 32 bytes, but has 33."],
      [13, `${digest(93)}, 0, NULL, NULL, 0, ${bytes(31)}, 0, NULL`, "previous_hash must have 32 bytes, but has 31."],
      [14, `${digest(94)}, 0, NULL, NULL, 0, ${digest(95)}, -1, NULL`, `previous_expires_at ${timeRule}`],
      [15, `${digest(96)}, 0, NULL, NULL, 0, NULL, NULL, 'a' || ${char(10)}`, "scopes is no list of scopes."],
    ] as const)
      await insert("keys", `${id}, 'k${id}', ${values}`, `keys ${id}: ${problem}`);

    const pets = async (statement: string, ...problems: string[]) => {
      await tamper(url, statement);
      expected.push(...problems);
    };
    for (const id of [-5, 0, maxInt64]) await pets(insertPet(id, "'x'"), `pets ${id}: id ${idRule}`);
    const schema = (id: number, problem: string) => `pets ${id} does not match the schema: ${problem}`;
    const tooLong = `The field 'name' must have at most ${maxName} characters.`;
    await pets(insertPet(1, `'${"x".repeat(maxName + 1)}'`), schema(1, tooLong));
    const badStatus = `The field 'status' must be one of: ${statusList}.`;
    await pets(insertPet(2, "'x'", "1", "''"), schema(2, badStatus));
    await pets(insertPet(3, "'x'", "1", "'SOLD'"), schema(3, badStatus));
    await pets("INSERT INTO pets VALUES (4, '{\"id\":4}')", schema(4, "It must have the field 'name'."));
    await pets("INSERT INTO pets VALUES (5, '[]')", schema(5, "It must be an object."));
    await pets(
      `INSERT INTO pets VALUES (6, ${insertPet(7, "'x'").replace(/^.*?7, /, "")}`,
      "pets 6 has another id in its record.",
    );
    const insertRecord = (pet: number, caller: number, key: string, time: number, problem: string, size = 32) =>
      insert(
        "idempotency (record_id, collection, caller, key, digest, created_at)",
        `${pet}, 'pets', ${caller}, ${key}, ${bytes(size)}, ${time}`,
        `idempotency ${pet}: ${problem}`,
      );
    await insertRecord(-5, 1, "'k'", 0, `record_id ${idRule}`);
    await insertRecord(1, -1, "'k'", 0, `caller must be an integer from 0 to ${maxId}.`);
    for (const [index, key] of ["''", "'é'", `'${"k".repeat(256)}'`, char(27)].entries())
      await insertRecord(1, 2 + index, key, 0, "key is not a valid Idempotency-Key.");
    await insertRecord(2, 1, "'l'", -1, `created_at ${timeRule}`);
    await insertRecord(3, 1, "'m'", 0, "digest must have 32 bytes, but has 31.", 31);

    const insertImport = (n: number, values: string, problem: string) =>
      insert("imports", `${digest(n)}, ${values}`, `imports ${String(n).padStart(2, "0").repeat(32)}: ${problem}`);
    await insertImport(1, "-1, 0, 0, 0", `lines ${countRule}`);
    await insertImport(2, "1, 9007199254740992, 0, 0", `records ${countRule}`);
    await insertImport(3, "1, 1, 2, 0", "complete must be an integer from 0 to 1.");
    await insertImport(4, `1, 1, 1, ${now + 25 * hour}`, "written_at is in the future.");
    await insert("imports", `${bytes(1)}, 1, 1, 1, 0`, "imports ab: digest must have 32 bytes, but has 1.");

    await tamper(url, ...setLastIds(maxInt64));
    for (const table of ["keys", "pets"]) expected.push(`No id of ${table} can follow the last one, ${maxInt64}.`);
    t.same((await check(url)).sort(), expected.sort());
  });

  t.test(`${kind}: restores no backup with such values`, async (t) => {
    const [from, url] = [await stores.sqlite(t), await create(t)];
    await (await openPetStore(from)).close();
    for (const id of [maxInt64, -5n, 0n]) {
      await tamper(from, "DELETE FROM pets", `INSERT INTO pets VALUES (${id}, ${petInSql(from, { id })})`);
      t.match(await petstoreOn(url, ["restore", from.slice("sqlite:".length), "--force", "--yes"]), {
        status: 1,
        stdout: "",
        stderr: new RegExp(`failed the integrity check \\(\\d problems?\\): pets ${id}: id must be`),
      });
    }
  });
}
