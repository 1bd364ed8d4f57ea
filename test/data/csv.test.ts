// CSV (RFC 4180): the header, quotes, line numbers, and reports of malformed records.
import t from "tap";
import { csv } from "../../src/data/formats/csv.ts";
import { toJson } from "../../src/lib/json.ts";
import { stores } from "../support/databases.ts";
import { petCollection } from "../support/pets.ts";
import { petstoreOn, readAllNames } from "../support/stores.ts";

t.test("Writes CSV according to RFC 4180", async (t) => {
  const properties = ["id", "title", "shelf"];
  const collection = { name: "books", id: "id", idType: "int64", properties, filters: [] } as const;
  const layout = {
    collection,
    withoutIds: false,
    places: [],
    toCell: (_: string, value: unknown) =>
      value === undefined ? null : typeof value === "object" ? toJson(value) : `${value}`,
  };
  const line = (...values: unknown[]) => {
    const book = Object.fromEntries(values.map((value, index) => [properties[index], value]));
    return csv.serialize(layout, { text: toJson(book), places: {} });
  };
  t.equal(csv.header(layout), "id,title,shelf\r\n");
  t.equal(csv.header({ ...layout, withoutIds: true }), "title,shelf\r\n");
  t.equal(line(-1n, " Rex "), "-1, Rex ,\r\n");
  t.equal(line(2n ** 63n - 1n, true, [1, { a: "b" }]), `${2n ** 63n - 1n},true,"[1,{""a"":""b""}]"\r\n`);
  for (const title of ["a,b", "a\rb", "a\nb", "\r\n"]) t.equal(line(1n, title, "x"), `1,"${title}",x\r\n`);
  t.equal(line(1n, '"a"', "x"), '1,"""a""",x\r\n');
});

const importCsv = (url: string, input: string, ...args: string[]) =>
  petstoreOn(url, ["import", "-", "--format", "csv", ...args], { input });

t.test("Rejects a file with an invalid header", async (t) => {
  const url = await stores.sqlite(t);
  const rule = `Allowed columns: ${petCollection.properties.join(", ")}.`;
  for (const [header, message] of [
    ["name,categoryId,colour", `The header has the unknown column 'colour'. ${rule}`],
    ["name,status", `The header must have the column 'categoryId'. ${rule}`],
    ["name,categoryId,name", `The header has the column 'name' twice. ${rule}`],
    ["__proto__,name,categoryId", `The header has the unknown column '__proto__'. ${rule}`],
    ["name;categoryId", `The header has the unknown column 'name;categoryId'. ${rule}`],
  ]) {
    const result = await importCsv(url, `${header}\nRex,1\n`, "--skip-bad");
    t.match(result, { status: 1, stdout: "", stderr: `petstore: ${message}\n` });
  }
  t.match(await importCsv(url, ""), {
    status: 1,
    stderr: "petstore: The file is empty. Its first line must be a header with the names of the columns.\n",
  });
  t.match(await importCsv(url, 'name,"categoryId"x\nname,categoryId\nA,1\n', "--skip-bad"), {
    status: 1,
    stderr: /^petstore: The header has invalid quotes in field 2: .* Allowed columns: id, name/,
  });
});

t.test("Reports each record that violates RFC 4180, and imports the other records", async (t) => {
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
  const unquoted = "it has invalid quotes in field 2: enclose the field in quotes, and double each quote in it";
  t.same(stderr.replaceAll(/from -\d+ to \d+/g, "from … to …").split("\n"), [
    `line 4: ${integer}`,
    "line 7: it must have 2 fields, as the header has, but has 1",
    `line 8: ${unquoted}`,
    `line 9: ${unquoted}`,
    `line 10: ${integer}`,
    `line 13: ${integer}`,
    `line 14: ${integer}`,
    `lines 16 to 17: ${unquoted}`,
    "line 18: it must have 2 fields, as the header has, but has 1",
    `The database ${url.slice("sqlite:".length)} does not exist. Creating it.`,
    "",
  ]);
  t.same(await readAllNames(url), ["a", "b\nb", " c ", "", '"']);
});

t.test("Accepts columns in any order, and parses an empty status as a missing one", async (t) => {
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

t.test("Rejects a file with a quote that is never closed", async (t) => {
  const url = await stores.sqlite(t);
  await petstoreOn(url, ["migrate"]);
  for (const [line, input] of [
    [3, 'name,categoryId\nA,1\n"B,2\nC,3\n'],
    [2, `name,categoryId\n"A,1\n${"B,2\n".repeat(50_000)}`],
  ] as const)
    t.match(await importCsv(url, input, "--skip-bad"), {
      status: 1,
      stdout: "",
      stderr: `petstore: The quotes of a field that begins in line ${line} or later are never closed.\n`,
    });
  t.same(await readAllNames(url), [], "nothing is imported");
});
