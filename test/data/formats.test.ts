// NDJSON and CSV: every pet is read as it was written, and lines that are not well-formed are reported.
import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { fields, formats } from "../../src/data/formats.ts";
import { toLines } from "../../src/data/lines.ts";
import { readDocument } from "../../src/pets/document.ts";
import type { NewPet } from "../../src/store/port.ts";
import { stores } from "../support/databases.ts";
import { maxInt64, statuses } from "../support/pets.ts";
import { petstoreOn, readAllNames } from "../support/stores.ts";

const document = await readDocument();

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "🐕", "\u2028", "="), maxLength: 30 }),
);
const anyPet = fc.record({
  name: text.filter((name) => !name.includes("\0")),
  categoryId: fc.bigInt({ min: -maxInt64 - 1n, max: maxInt64 }),
  status: fc.constantFrom(...statuses),
});

for (const [name, format] of Object.entries(formats))
  t.test(`${name}: reads all pets as they were written, however the bytes are split into chunks`, async (t) => {
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 40 }));
    const names = fields.slice(1);
    const head = format.head(names);
    const read = format.buildRead(document); // expensive, therefore built once; it reads the head only once
    if (head !== "") read(Buffer.from(head.trimEnd()));
    const property = fc.asyncProperty(fc.array(anyPet), sizes, async (pets, sizes) => {
      const rows = pets.map(({ name, categoryId, status }) => [name, categoryId, status ?? null]);
      const bytes = Buffer.from(head + rows.map((row) => format.toLine(names, row)).join(""));
      const chunks = async function* () {
        for (let at = 0; at < bytes.length; ) {
          const { value } = sizes.next();
          yield bytes.subarray(at, at + value);
          at += value;
        }
      };
      const found: (NewPet | undefined)[] = [];
      let expected = 1;
      for await (const lines of toLines(chunks(), 65_536, format.buildEnds()))
        for (const { number, bytes } of lines) {
          assert.equal(number, expected);
          expected += (bytes as Buffer).toString().split("\n").length;
          if (number === 1 && head !== "") assert.equal(`${bytes}\r\n`, head);
          else found.push(read(bytes as Buffer));
        }
      assert.deepEqual(
        found.map((pet) => ({ status: undefined, ...pet })),
        pets.map((pet) => ({ ...pet })),
      );
    });
    await fc.assert(property, { numRuns: 50 });
    t.pass("50 lists of pets");
  });

t.test("Writes CSV according to RFC 4180", async (t) => {
  const line = (...values: (string | bigint | null)[]) => formats.csv.toLine(fields, values);
  t.equal(formats.csv.head(fields), "id,name,categoryId,status\r\n");
  t.equal(line(1n, " Rex ", -1n, null), "1, Rex ,-1,\r\n");
  for (const name of ["a,b", "a\rb", "a\nb", "\r\n"]) t.equal(line(1n, name, 0n, "sold"), `1,"${name}",0,sold\r\n`);
  t.equal(line(1n, '"a"', 0n, "sold"), '1,"""a""",0,sold\r\n');
});

const importCsv = (url: string, input: string, ...args: string[]) =>
  petstoreOn(url, ["import", "-", "--format", "csv", ...args], { input });

t.test("Rejects CSV whose head is not valid", async (t) => {
  const url = await stores.sqlite(t);
  const must = "the first line must name the columns, of name, categoryId, status.";
  for (const [head, why] of [
    ["name,categoryId,colour", `There is the unknown column 'colour': ${must}`],
    ["name,status", `The column 'categoryId' is missing: ${must}`],
    ["name,categoryId,name", `The column 'name' is there twice: ${must}`],
    ["__proto__,name,categoryId", `There is the unknown column '__proto__': ${must}`],
    ["name;categoryId", `There is the unknown column 'name;categoryId': ${must}`],
  ]) {
    const result = await importCsv(url, `${head}\nRex,1\n`, "--skip-bad");
    t.match(result, { status: 1, stdout: "", stderr: `petstore: ${why}\n` });
  }
  t.match(await importCsv(url, ""), {
    status: 1,
    stderr: "petstore: The input is empty: its first line must name the columns.\n",
  });
  t.match(await importCsv(url, 'name,"categoryId"x\nname,categoryId\nA,1\n', "--skip-bad"), {
    status: 1,
    stderr: /^petstore: The line is not CSV in its field 2: .*twice: the first line must name the columns/,
  });
});

t.test("Reports each record of CSV that is not according to RFC 4180, and imports the others", async (t) => {
  const url = await stores.sqlite(t);
  const lines = [
    '\ufeff"categoryId",name',
    "1,a",
    "",
    "0x10,bad",
    '2,"b\nb"',
    "3",
    '4,5" nail',
    '5,"a"b',
    "1e3,bad",
    "9223372036854775807, c ",
    "-9223372036854775808,",
    "9223372036854775808,bad",
    ",bad",
    '6,""""',
    '7,"of',
    'two lines"x',
    "8",
  ];
  const { status, stdout, stderr } = await importCsv(url, lines.join("\n"), "--skip-bad");
  t.match({ status, stdout }, { status: 0, stdout: /^lines {13}18\npets {14}5\nbefore {12}0\nbad {15}9\n/ });
  const integer = "the column 'categoryId' must be an integer from … to …, in plain decimal digits";
  const unquoted = "it is not CSV in its field 2: a field with quotes stands in quotes, each of its own twice";
  t.same(stderr.replaceAll(/from -\d+ to \d+/g, "from … to …").split("\n"), [
    `line 4: ${integer}`,
    "line 7: it must have 2 fields, as its head has, and has 1",
    `line 8: ${unquoted}`,
    `line 9: ${unquoted}`,
    `line 10: ${integer}`,
    `line 13: ${integer}`,
    `line 14: ${integer}`,
    `lines 16 to 17: ${unquoted}`,
    "line 18: it must have 2 fields, as its head has, and has 1",
    `There is no store yet at ${url.slice("sqlite:".length)}: it is made.`,
    "",
  ]);
  t.same(await readAllNames(url), ["a", "b\nb", " c ", "", '"']);
});

t.test("Accepts the columns of CSV in any order, and reads an empty status as none", async (t) => {
  const url = await stores.sqlite(t);
  t.match(await importCsv(url, "status,name,categoryId\n,Tom,1\nsold,Tim,2\nlost,Tam,3"), {
    status: 1,
    stderr: /^line 4: the column 'status' must be one of/,
  });
  t.match(await importCsv(url, "status,name,categoryId\r\n,Tom,1\r\nsold,Tim,2"), { status: 0 });
  t.equal(
    (await petstoreOn(url, ["export", "--without-ids"])).stdout,
    '{"name":"Tom","categoryId":1}\n{"name":"Tim","categoryId":2,"status":"sold"}\n',
  );
});

t.test("Rejects CSV whose quotes are never closed, since they would take all lines that follow", async (t) => {
  const url = await stores.sqlite(t);
  await petstoreOn(url, ["migrate"]);
  for (const [line, input] of [
    [3, 'name,categoryId\nA,1\n"B,2\nC,3\n'],
    [2, `name,categoryId\n"A,1\n${"B,2\n".repeat(50_000)}`],
  ] as const)
    t.match(await importCsv(url, input, "--skip-bad"), {
      status: 1,
      stdout: "",
      stderr: `petstore: The quotes that open in line ${line}, or after it, are never closed.\n`,
    });
  t.same(await readAllNames(url), [], "nothing is imported");
});
