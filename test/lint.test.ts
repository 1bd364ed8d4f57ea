// The rules of .spectral.yaml: a document that breaks one is caught, and ours breaks none.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import t from "tap";
import { documentText, edit, folder } from "./support/files.ts";

const root = new URL("..", import.meta.url).pathname;
const getPet = "operationId: getPet";
const headers = /(?<=operationId: getPet[\s\S]*description: The animal\.\n {10}headers:) \*headers/;

/** Each breaks one rule: its name, what is said of it, and the edits. */
const broken: [rule: string, says: RegExp, ...edits: [string | RegExp, string][]][] = [
  ["deprecated-since", /a date like/, [/ {6}x-deprecated-since.*\n/, ""]],
  ["deprecated-since", /a date like/, ["x-deprecated-since: 2026-11-20", "x-deprecated-since: 2026-11-31"]],
  ["deprecated-sunset", /a date like/, [/ {6}x-sunset.*\n/, ""]],
  ["deprecated-sunset", /a date like/, ["x-sunset: 2030-12-05", "x-sunset: 5 December 2030"]],
  ["deprecated-sunset", /2026-11-19 is before/, ["x-sunset: 2030-12-05", "x-sunset: 2026-11-19"]],
  ["deprecated-successor", /undefined is none/, [/ {6}x-successor.*\n/, ""]],
  ["deprecated-successor", /findPets is none/, ["x-successor: listPets", "x-successor: findPets"]],
  ["deprecated-successor", /getPet is none/, ["x-successor: listPets", "x-successor: getPet"]],
  ["deprecated-said", /deprecated/, ["      deprecated: true\n", ""]],
  ...["Deprecation", "Sunset", "Link"].map((name): (typeof broken)[number] => [
    "deprecated-headers",
    new RegExp(name),
    [new RegExp(` {12}${name}:\\n.*\\n`), ""],
  ]),
  ["deprecated-headers", /headers/, [headers, " {}"]],
  [
    "sunset-passed",
    /getPet, 2026-11-20, has passed/,
    ["since: 2026-11-20", "since: 2026-11-19"],
    ["2030-12-05", "2026-11-20"],
  ],
  ["stability", /stable/, [getPet, `${getPet}\n      x-stability: stable`]],
  ["operation-operationId", /operationId/, ["      operationId: listPets\n", ""]],
  ["operation-id-camel-case", /camel/, ["operationId: listPets", "operationId: list_pets"]],
  ["operation-tags", /tags/, ["      tags: [Pets]\n", ""]],
  ["operation-tag-defined", /tags/, ["tags: [Pets]\n      summary", "tags: [Animals]\n      summary"]],
  ["operation-unauthorized", /401/, [/ {8}"401":\n.*\n/, ""]],
  ["operation-unauthorized", /WWW-Authenticate/, [/ {8}WWW-Authenticate:\n.*\n/, ""]],
  ["operation-unauthorized", /constant/, [/(?<=RFC 6750\)\.\n {6}required: )true/, "false"]],
  [
    "error-answers",
    /the one Error/,
    [/(?<=NotFound:[\s\S]*?content:\n)/, "        text/plain: { schema: { type: string } }\n"],
  ],
  ["error-answers", /the one Error/, [/ {8}"404":\n.*\n/, '        "404": { description: None. }\n']],
  ["error-answers", /the one Error/, [/(?<=NotFound:[\s\S]*?)schemas\/Error/, "schemas/Pet"]],
  ["error-answers", /the one Error/, [/(?<=NotFound:[\s\S]*?)\$ref: "#\/components\/schemas\/Error"/, "type: object"]],
  ["error-answers", /the one Error/, [/(?<=NotFound:[\s\S]*?)application\/json/, "application/problem+json"]],
  ["path-parameter-camel-case", /camel/, ["/pets/{petId}", "/pets/{pet-id}"], ["name: petId", "name: pet-id"]],
  [
    "path-parameters-on-operation",
    /declared on the operation/,
    ["  /pets/{petId}:", "  /pets/{petId}:\n    parameters: []"],
  ],
  ["path-params", /petId/, ["name: petId", "name: id"]],
  ["oas3-valid-media-example", /equal to one of/, ["status: available }", "status: lost }"]],
  ["oas3-valid-media-example", /integer/, ["          example: 1\n", "          example: one\n"]],
  [
    "oas3-valid-media-example",
    /code/,
    [/(?<=NotFound:[\s\S]*?)value: \{ code: \w+, /, "value: { "], // of an error
  ],
  ["oas3-valid-media-example", /pattern/, ['example: "@1795132800"', 'example: "1795132800"']],
  ["schema-examples", /pattern/, ["          maxLength: 64\n", '          maxLength: 64\n          examples: ["1"]\n']],
  [
    "schema-examples",
    /must be <= 100/,
    ["            maximum: 100\n", "            maximum: 100\n            examples: [101]\n"],
  ],
  [
    "schema-examples",
    /categoryId/,
    [/(?<=examples:\n {8}- \{ name: Rex, )categoryId: 7, /, ""], // of a schema
  ],
  ["no-anonymous-alternative", /properties/, ["security:\n  - apiKey: []", "security:\n  - apiKey: []\n  - {}"]],
  ["no-anonymous-alternative", /properties/, [getPet, `${getPet}\n      security: [{ apiKey: [] }, {}]`]],
  [
    "owasp:api2:2023-write-restricted",
    /secur/i,
    ["operationId: createPet", "operationId: createPet\n      security: []"],
  ],
  ["owasp:api4:2023-string-limit", /maxLength/, ["          maxLength: 1000\n", ""]],
  ["owasp:api4:2023-integer-limit", /maximum/, ["            maximum: 100\n", ""]],
];

t.test("each rule catches a document that breaks it, and only the passing of a day is a warning", async (t) => {
  const place = folder(t);
  const files = broken.map(([, , ...edits], index) => {
    const file = join(place, `${index}.yaml`);
    writeFileSync(file, edit(documentText, ...edits));
    return file;
  });
  const found = lint(...files);
  for (const [index, [rule, says]] of broken.entries()) {
    const caught = found.filter(({ source, code }) => basename(source) === `${index}.yaml` && code === rule);
    t.ok(caught.length > 0, `document ${index} breaks ${rule}`);
    t.ok(
      caught.some(({ message }) => says.test(message)),
      `${rule} says ${says}: ${caught.map(({ message }) => message).join("; ")}`,
    );
    t.equal(caught.at(0)?.severity, rule === "sunset-passed" ? 1 : 0, `the severity of ${rule}`);
  }
});

t.test("answers that are no failures may be shared, too", async (t) => {
  const file = join(folder(t), "shared.yaml");
  const found = /(?<=operationId: getPet[\s\S]*?"200":\n)([\s\S]*?)(?= {8}"400")/;
  const [answer = ""] = found.exec(documentText) ?? [];
  const shared = `    Found:\n${answer.replace(/^ {4}/gm, "")}`;
  const text = edit(
    documentText,
    [found, '          $ref: "#/components/responses/Found"\n'],
    [/(?<=\n {2}responses:\n)/, shared.replace("*headers", '{ Link: { $ref: "#/components/headers/Link" } }')],
  );
  writeFileSync(file, text);
  t.same(
    lint(file).filter(({ code }) => code === "error-answers"),
    [],
  );
});

t.test("the document breaks no rule, not even one that warns", async (t) => {
  t.same(lint(join(root, "openapi/petstore.yaml")), []);
});

interface Finding {
  code: string;
  message: string;
  severity: number;
  source: string;
}

function lint(...files: string[]): Finding[] {
  const spectral = join(root, "node_modules/.bin/spectral");
  const { stdout, stderr } = spawnSync(spectral, ["lint", "--format=json", "--quiet", ...files], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (!stdout.startsWith("[")) throw new Error(`spectral failed: ${stdout} ${stderr}`);
  return JSON.parse(stdout);
}
