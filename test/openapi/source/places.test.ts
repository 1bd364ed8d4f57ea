// The places that messages name: each one has the file, the line and the column, also of a file to which another one refers.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { readDocument } from "../../../src/openapi/document/document.ts";
import { writeFiles } from "../../support/files.ts";

const head = 'openapi: 3.1.0\ninfo: { title: x, version: "1" }\n';

async function refusalOf(path: string): Promise<string> {
  return readDocument(path).then(
    () => "",
    (error: Error) => error.message,
  );
}

const invalid: readonly (readonly [name: string, content: string | Buffer, reason: string, place: string])[] = [
  ["tab.yaml", `${head}paths:\n\t/a: {}\n`, "Tabs are not allowed as indentation", "4:1"],
  [
    "indent.yaml",
    `${head}paths:\n  /a:\n    get:\n   x: 1\n`,
    "All mapping items must start at the same column",
    "5:9",
  ],
  ["twice.yaml", `${head}paths: {}\npaths: {}\n`, "duplicated mapping key", "4:1"],
  ["tagged.yaml", `${head}x-a: !own 1\npaths: {}\npaths: {}\n`, "duplicated mapping key", "5:1"],
  ["twice.json", '{\n "openapi": "3.1.0",\n "info": {}, "info": {}\n}', "duplicated mapping key", "3:15"],
  ["comma.json", '{\n "openapi": "3.1.0"\n "info": {}\n}', "it is not valid JSON: Expected ',' or '}'", "3:2"],
  ["end.json", '{\n "openapi":', "it is not valid JSON: it ends too early", "2:12"],
  ["alias.yaml", `${head}paths: { /a: *none }\n`, 'unidentified alias "none"', "3:15"],
  ["merge.yaml", `${head}x-a:\n  <<: 5\npaths: {}\n`, "cannot merge mappings", "4:3"],
  ["self.yaml", `${head}x-a: &a\n  b: { c: *a }\npaths: {}\n`, "a part of it contains itself", "4:8"],
  ["deep.json", `{"openapi":"3.1.0",\n"x-a":${"[".repeat(300)}${"]".repeat(300)}}`, "it is nested more than", "2:205"],
  ["two.yaml", `${head}paths: {}\n---\na: 1\n`, "it has several YAML documents", "4:1"],
  ["latin.yaml", Buffer.from(`${head}x-a: caf\xe9\n`, "latin1"), "it is not in UTF-8: convert it", "3:9"],
  ["utf16.yaml", Buffer.from(`\ufeff${head}`, "utf16le"), "it is not in UTF-8: convert it", "1:1"],
];

t.test("An error of a file names its place, also if another file refers to it", async (t) => {
  const path = writeFiles(t, { "api.yaml": head });
  const folder = dirname(path);
  const reference = `${head}components: { schemas: { A: { $ref: NAME } } }\n`;
  for (const [name, content, reason, place] of invalid) {
    const file = join(folder, name);
    writeFileSync(file, content);
    const error = await refusalOf(file);
    t.match(error, `The document ${file} is invalid: ${reason}`);
    t.match(error, ` (${file}:${place}).`);
    writeFileSync(path, reference.replace("NAME", name));
    t.match(
      await refusalOf(path),
      `- The reference ${name} leads to no document: ${error.slice(0, -1)} (${path}:3:31) [reference].`,
    );
  }
});

t.test("An error of the version names the file and the field", async (t) => {
  for (const [text, message] of [
    ["", /api\.yaml is invalid: it is empty \(.*api\.yaml:1:1\)\.$/],
    ["hello", /is invalid: it is not an object: it must have openapi: 3\.0\.x, .* \(.*:1:1\)\.$/],
    ["info: {}\nopenapi: 3.1\n", /must have openapi: 3\.0\.x, 3\.1\.x or 3\.2\.x, and not 3\.1 \(.*:2:1\)\.$/],
  ] as const)
    await t.rejects(readDocument(writeFiles(t, { "api.yaml": text })), { message }, text);
});

t.test("A file that can't be read is named once", async (t) => {
  const path = writeFiles(t, { "api.yaml": `${head}paths: { /a: { $ref: none.yaml }, /b: { $ref: folder } }` });
  mkdirSync(join(dirname(path), "folder"));
  const error = await refusalOf(path);
  t.match(error, /none\.yaml can't be read: ENOENT: no such file or directory \(\S*api\.yaml:3:16\) /);
  t.match(error, /leads to no document: \S*folder is not a file \(\S*api\.yaml:3:41\) /);
});

t.test("Each reference that leads to nothing is listed, with the name that is missing", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:
  /a: { $ref: "sub/paths.yaml#/items" }
components:
  parameters:
    One: { $ref: "sub/paths.yaml#/parameters/Limt" }
    Two: { $ref: "sub/paths.yaml#anchor" }
    Three: { $ref: "sub/paths.yaml#/parameters/Limit/name/x" }
    Four: { $ref: "sub/paths.yaml#/parameters/Loop" }
  schemas:
    Note: { type: object, properties: { a: { $ref: "#/components/schemas/Nota" } } }
`,
    "sub/paths.yaml": `items:
  get:
    operationId: a
    parameters: [{ $ref: "#/parameters/Offset" }]
    responses: { 200: { $ref: "none.yaml" } }
parameters:
  Limit: { name: limit, in: query, schema: {} }
  Loop: { $ref: "#/parameters/Loop2" }
  Loop2: { $ref: "#/parameters/Loop" }
`,
  });
  const error = await refusalOf(path);
  for (const expected of [
    /The reference sub\/paths\.yaml#\/parameters\/Limt leads to nothing: there is no "Limt", did you mean "Limit"\? \(\S*api\.yaml:7:12\)/,
    /#anchor leads to nothing: no schema has the \$anchor anchor; a path begins with #\/ \(\S*api\.yaml:8:12\)/,
    /Limit\/name\/x leads to nothing: there is no "x" \(\S*api\.yaml:9:14\)/,
    /The reference sub\/paths\.yaml#\/parameters\/Loop leads to itself \(\S*api\.yaml:10:13\)/,
    /#\/components\/schemas\/Nota, which leads to nothing: there is no "Nota", did you mean "Note"\? \(\S*api\.yaml:12:46\)/,
    /The reference #\/parameters\/Offset leads to nothing: there is no "Offset" \(\S*paths\.yaml:4:20\)/,
    /The reference none\.yaml leads to no document: The document \S*sub\/none\.yaml can't be read: .* \(\S*paths\.yaml:5:25\)/,
  ])
    t.match(error, expected);
});
