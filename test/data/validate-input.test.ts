// Validation before an import: one invalid line prevents the whole import, and each is reported with its number.
import t from "tap";
import { stores } from "../support/databases.ts";
import { maxBytes, maxName, statusList } from "../support/pets.ts";
import { petLine, petstoreOn, readAllNames } from "../support/stores.ts";

const valid = '{"name":"Rex","categoryId":7}';

const invalid: [string | Buffer, string][] = [
  ['{"name":"Rex","categoryId":"7"}', "the field 'categoryId' must be an integer"],
  ['{"name":"Rex","categoryId":9223372036854775808}', "the field 'categoryId' must be an integer from"],
  ['{"name":"Rex","categoryId":1.5}', "the field 'categoryId' must be an integer"],
  ['{"name":"Rex"}', "it must have the field 'categoryId'"],
  ['{"name":"Rex","categoryId":7,"id":"1"}', "the field 'id' must be an integer"],
  ['{"name":"Rex","categoryId":7,"colour":1}', "it has the unknown field 'colour'"],
  ['{"name":"Rex","categoryId":7,"status":"lost"}', `the field 'status' must be one of: ${statusList}`],
  ['{"name":"Rex","categoryId":7,"status":null}', "the field 'status' must be"],
  ['{"name":"\\u0000","categoryId":7}', "the field 'name' must be Unicode text without NUL"],
  ['{"name":"\\ud800","categoryId":7}', "it is not valid JSON: a string has a lone surrogate"],
  ['{"name":"a","name":"b","categoryId":7}', "it is not valid JSON: an object has the same name twice"],
  [
    Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","categoryId":7}')]),
    "it must be encoded in UTF-8",
  ],
  [`{"name":"${"x".repeat(maxName + 1)}","categoryId":7}`, `the field 'name' must have at most ${maxName} characters`],
  [`${valid.slice(0, -1)}${" ".repeat(maxBytes)}}`, `it must have at most ${maxBytes} bytes`],
  ["[]", "it must be an object"],
  [`${valid}\r${valid}`, "it is not valid JSON"],
];

// Line 1 is valid, 2 is empty, 3 ends with CRLF, 4 has the maximum length; then invalid and valid lines alternate.
const longest = `${valid}${" ".repeat(maxBytes - valid.length)}\r\n`;
const parts = [`${valid}\n\n${valid}\r\n${longest}`, ...invalid.flatMap(([line]) => [line, `\n${valid}\n`])];
const mixed = Buffer.concat(parts.map((part) => Buffer.from(part)));

for (const [kind, prepare] of Object.entries(stores)) {
  const importNdjson = (url: string, input: string | Buffer, ...args: string[]) =>
    petstoreOn(url, ["import", "-", "--format", "ndjson", ...args], { input });

  t.test(`${kind}: imports nothing from a file with invalid lines, and reports each of them`, async (t) => {
    const url = await prepare(t);
    await petstoreOn(url, ["migrate"]);
    const rejected = await importNdjson(url, mixed);
    t.match(rejected, { status: 1, stdout: "" });
    const reported = rejected.stderr.split("\n");
    for (const [index, [, problem]] of invalid.entries())
      t.ok(reported[index]?.startsWith(`line ${5 + 2 * index}: ${problem}`), `${reported[index]}`);
    t.match(reported.slice(invalid.length), [
      /^petstore: Nothing was imported: 16 invalid lines\. Use --skip-bad to import the valid lines\./,
      "",
    ]);
    const many = await importNdjson(url, "{\n".repeat(23), "--json");
    t.match(JSON.parse(many.stdout), { lines: 23, pets: 0, bad: 23 });
    t.match(many.stderr, /^(line \d+: .*\n){20}and 3 more\npetstore: Nothing was imported: 23 invalid lines/);
    const { stderr } = await importNdjson(url, '{"name":"a","categoryId":1,"\\u001b]0;x\\u0007":1}\n');
    t.match(stderr, "'\\u001b]0;x\\u0007'", "control characters are escaped");
    t.same(await readAllNames(url), []);
  });

  t.test(`${kind}: --skip-bad imports the valid lines, and reports every invalid one`, async (t) => {
    const url = await prepare(t);
    await petstoreOn(url, ["migrate"]);
    const skipped = await importNdjson(url, mixed, "--skip-bad");
    t.match(skipped, { status: 0, stdout: /^lines {13}36\npets {14}19\nbefore {12}0\nbad {15}16\n/ });
    t.same(await readAllNames(url), Array(19).fill("Rex"));
    const all = await importNdjson(url, "{\n".repeat(23), "--skip-bad");
    t.equal(all.stderr.match(/^line \d+: /gm)?.length, 23);
    t.equal((await readAllNames(url)).length, 19);
    t.match(await importNdjson(url, petLine("Tom")), { status: 0 });
    t.equal((await readAllNames(url)).length, 20);
  });
}
