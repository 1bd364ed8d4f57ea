// The rules of .spectral.yaml. The linter of the `spectral` command runs in the process of the test.
import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import { documentText, edit, root } from "../support/files.ts";

interface Finding {
  code: string;
  message: string;
  severity: number;
}

// Loads the packages that the command uses, and its function that reads a ruleset.
const require = createRequire(createRequire(import.meta.url).resolve("@stoplight/spectral-cli/package.json"));
const { Spectral, Document } = require("@stoplight/spectral-core");
const { Yaml } = require("@stoplight/spectral-parsers");
const { getRuleset } = require("./dist/services/linter/utils/getRuleset.js");
const ruleset: { rules: Record<string, { enabled: boolean }> } = await getRuleset(join(root, ".spectral.yaml"));
const spectral = new Spectral();
spectral.setRuleset(ruleset);
const enabled = Object.entries(ruleset.rules).filter(([, rule]) => rule.enabled);

/** Lints the document with all rules. */
const lintDocument = (): Promise<Finding[]> =>
  spectral.run(new Document(documentText, Yaml, join(root, "openapi/petstore.yaml")));

/** Lints a text with one rule, which is much faster. The overrides for locations of the document do not apply. */
function lint(text: string, only: string): Promise<Finding[]> {
  for (const [name, rule] of enabled) rule.enabled = name === only;
  return spectral.run(new Document(text, Yaml, "edited.yaml"));
}

const getPet = "operationId: getPet";
const headers = /(?<=operationId: getPet[\s\S]*description: The pet\.\n {10}headers:) \*headers/;

/** Edits that break one rule: the name of the rule, its message, and the edits. */
const broken: [rule: string, message: RegExp, ...edits: [string | RegExp, string][]][] = [
  ["deprecated-since", /a date like/, [/ {6}x-deprecated-since.*\n/, ""]],
  ["deprecated-since", /a date like/, [/x-deprecated-since: .*/, "x-deprecated-since: 2026-11-31"]],
  ["deprecated-sunset", /a date like/, [/ {6}x-sunset.*\n/, ""]],
  ["deprecated-sunset", /a date like/, [/x-sunset: .*/, "x-sunset: 5 December 2030"]],
  ["deprecated-sunset", /2001-01-01 is before/, [/x-sunset: .*/, "x-sunset: 2001-01-01"]],
  ["deprecated-successor", /it is undefined/, [/ {6}x-successor.*\n/, ""]],
  ["deprecated-successor", /it is findPets/, ["x-successor: listPets", "x-successor: findPets"]],
  ["deprecated-successor", /it is getPet/, ["x-successor: listPets", "x-successor: getPet"]],
  ["deprecated-true", /deprecated/, ["      deprecated: true\n", ""]],
  ...["Deprecation", "Sunset", "Link"].map((name): (typeof broken)[number] => [
    "deprecated-headers",
    new RegExp(name),
    [new RegExp(` {12}${name}:\\n.*\\n`), ""],
  ]),
  ["deprecated-headers", /headers/, [headers, " {}"]],
  [
    "sunset-passed",
    /getPet, 2001-01-02, has passed/,
    [/x-deprecated-since: .*/, "x-deprecated-since: 2001-01-01"],
    [/x-sunset: .*/, "x-sunset: 2001-01-02"],
  ],
  ["stability", /stable/, [getPet, `${getPet}\n      x-stability: stable`]],
  ["operation-operationId", /operationId/, ["      operationId: listPets\n", ""]],
  ["operation-id-camel-case", /camel/, ["operationId: listPets", "operationId: list_pets"]],
  ["operation-tags", /tags/, ["      tags: [Pets]\n", ""]],
  ["operation-tag-defined", /tags/, ["tags: [Pets]\n      summary", "tags: [Cats]\n      summary"]],
  ["operation-unauthorized", /401/, [/ {8}"401":\n.*\n/, ""]],
  ["operation-unauthorized", /WWW-Authenticate/, [/ {8}WWW-Authenticate:\n.*\n/, ""]],
  ["operation-unauthorized", /constant/, [/(?<=RFC 6750\)\.\n {6}required: )true/, "false"]],
  [
    "error-responses",
    /has the schema Error/,
    [/(?<=NotFound:[\s\S]*?content:\n)/, "        text/plain: { schema: { type: string } }\n"],
  ],
  ["error-responses", /has the schema Error/, [/ {8}"404":\n.*\n/, '        "404": { description: None. }\n']],
  ["error-responses", /has the schema Error/, [/(?<=NotFound:[\s\S]*?)schemas\/Error/, "schemas/Pet"]],
  [
    "error-responses",
    /has the schema Error/,
    [/(?<=NotFound:[\s\S]*?)\$ref: "#\/components\/schemas\/Error"/, "type: object"],
  ],
  ["error-responses", /has the schema Error/, [/(?<=NotFound:[\s\S]*?)application\/json/, "application/problem+json"]],
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
  ["oas3-valid-media-example", /pattern/, ['example: "@', 'example: "']],
  ["schema-examples", /pattern/, [/( +)maxLength: \d+\n(?= +pattern: "\^\[a-z_\])/, '$&$1examples: ["1"]\n']],
  ["schema-examples", /must be <= \d+/, [/( +)maximum: \d+\n/, "$&$1examples: [2147483647]\n"]],
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
  ["owasp:api4:2023-string-limit", /maxLength/, [/ +maxLength: \d+\n/, ""]],
  ["owasp:api4:2023-integer-limit", /maximum/, [/ +maximum: \d+\n/, ""]],
];

t.test("The document has no errors and no warnings", async (t) => {
  // The sunset of an operation passes without a change of the document.
  const findings = (await lintDocument()).filter(({ code }) => code !== "sunset-passed");
  t.same(findings, []);
});

t.test("Reports a document that breaks a rule as an error, and a sunset that has passed as a warning", async (t) => {
  for (const [rule, message, ...edits] of broken) {
    const found = await lint(edit(documentText, ...edits), rule);
    t.ok(
      found.some((finding) => message.test(finding.message)),
      `${rule} reports ${message}: ${found.map((finding) => finding.message).join("; ")}`,
    );
    t.equal(found.at(0)?.severity, rule === "sunset-passed" ? 1 : 0, `the severity of ${rule}`);
  }
});

t.test("Accepts a shared response that is not an error", async (t) => {
  const found = /(?<=operationId: getPet[\s\S]*?"200":\n)([\s\S]*?)(?= {8}"400")/;
  const [response = ""] = found.exec(documentText) ?? [];
  const shared = `    Found:\n${response.replace(/^ {4}/gm, "")}`;
  const text = edit(
    documentText,
    [found, '          $ref: "#/components/responses/Found"\n'],
    [/(?<=\n {2}responses:\n)/, shared.replace("*headers", '{ Link: { $ref: "#/components/headers/Link" } }')],
  );
  t.same(await lint(text, "error-responses"), []);
});
