// The gate between the contract and those who build on it: what is breaking, what is new, and the
// version that it asks for.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { compare } from "../scripts/contract/compare.ts";
import type { Impact } from "../scripts/contract/rate.ts";
import { edit, folder } from "./support/files.ts";

const root = new URL("..", import.meta.url).pathname;
// Not the document of today, which moves on: the gate is what is tested here.
const released = readFileSync(join(root, "openapi/released/1.0.0.yaml"), "utf8");

type Edit = [from: string | RegExp, to: string];

const limit = "      parameters:\n        - name: limit";
const newPet = /(?<= {4}NewPet:\n[\s\S]*?properties:\n)/;
const pet = /(?<= {4}Pet:\n[\s\S]*?properties:\n)/;
const requestBody = /(?<=x-max-bytes: 65536\n {8}content:\n {10})application\/json/;

/** Each edit of the document, what it is, and words that a reviewer reads. */
const table: [name: string, impact: Impact, says: string, ...edits: Edit[]][] = [
  // What breaks.
  [
    "an operation removed",
    "major",
    "`/pets/{petId}` was removed",
    [/ {2}\/pets\/\{petId\}:[\s\S]*?\ncomponents:/, "\ncomponents:"],
  ],
  ["an operation's method", "major", "`POST /pets` was removed", ["    post:\n", "    put:\n"]],
  ["an operationId", "major", "from 'listPets' to 'findPets'", [/listPets/g, "findPets"]],
  ["a path", "major", "renamed to `/animals/{petId}`", ["  /pets/{petId}:", "  /animals/{petId}:"]],
  [
    "a path parameter's name",
    "major",
    'path parameter `id`: `name` changed from "petId"',
    ["/pets/{petId}", "/pets/{id}"],
    ["name: petId", "name: id"],
  ],
  [
    "a parameter removed",
    "major",
    "listPets, query parameter `status`: `status` query parameter was removed",
    [/ {8}- name: status\n(.*\n){4}/, ""],
  ],
  [
    "a header parameter renamed",
    "major",
    "`Idempotency-Key` header parameter was renamed",
    ["name: Idempotency-Key", "name: Idempotency"],
  ],
  [
    "a parameter required",
    "major",
    "`status` query parameter became required",
    ["- name: status\n", "- name: status\n          required: true\n"],
  ],
  [
    "a required parameter added",
    "major",
    "Required `shop` query parameter was added",
    [
      limit,
      limit.replace(
        "- name: limit",
        "- { name: shop, in: query, required: true, schema: { type: string } }\n        - name: limit",
      ),
    ],
  ],
  [
    "a maximum narrowed",
    "major",
    "listPets, query parameter `limit`: Upper bound changed from '<= 100' to '<= 50'",
    ["maximum: 100", "maximum: 50"],
  ],
  ["a minimum narrowed", "major", "Lower bound changed from '>= 1' to '>= 2'", ["minimum: 1\n", "minimum: 2\n"]],
  [
    "a length narrowed",
    "major",
    "schema `NewPet`, field `name`: `maxLength` of `name` changed from '1000' to '10'",
    ["maxLength: 1000", "maxLength: 10"],
  ],
  [
    "a pattern added",
    "major",
    "`pattern` was set to 'a'",
    ["            maxLength: 200\n", "            maxLength: 200\n            pattern: a\n"],
  ],
  [
    "a body's size narrowed",
    "major",
    "createPet, body: `x-max-bytes` changed from 65536 to 1024",
    ["x-max-bytes: 65536", "x-max-bytes: 1024"],
  ],
  ["a body's size limited", "major", "`x-max-bytes` was added: 65536", ["        x-max-bytes: 65536\n", ""]],
  [
    "a default changed",
    "major",
    "listPets, query parameter `limit`: `default` changed from 20 to 10",
    ["default: 20", "default: 10"],
  ],
  ["a default removed", "major", "`default` was removed: it was 20", ["            default: 20\n", ""]],
  [
    "a parameter's type",
    "major",
    "Type narrowed from 'integer' to 'string'",
    [
      "type: integer\n            format: int32\n            minimum: 1",
      "type: string\n            format: int32\n            minimum: 1",
    ],
  ],
  [
    "a field's type",
    "major",
    "schema `NewPet`, field `categoryId`: Type of `categoryId` narrowed",
    [/(?<=categoryId: &categoryId\n {10}type: )integer/, "string"],
  ],
  [
    "a format",
    "major",
    "`format` of `categoryId` changed from 'int64' to 'int32'",
    [/(?<=categoryId: &categoryId\n {10}type: integer\n {10}format: )int64/, "int32"],
  ],
  [
    "an enum value removed in a request",
    "major",
    "Enum of `PetStatus` lost values: 'sold'",
    ["[available, pending, sold]", "[available, pending]"],
  ],
  [
    "a value added to a closed enum of an answer",
    "major",
    "gained values: 'lost'",
    ["[available, pending, sold]", "[available, pending, sold, lost]"],
  ],
  [
    "a value removed of an open list",
    "major",
    'schema `Error`, field `code`: `x-extensible-enum` lost "unavailable"',
    ["            - unavailable\n", ""],
  ],
  [
    "a field required in a request",
    "major",
    "Properties of `NewPet` became required: `status`",
    [/(?<= {4}NewPet:\n[\s\S]*?required: )\[name, categoryId\]/, "[name, categoryId, status]"],
  ],
  [
    "a required field added to a request",
    "major",
    "became required: `shop`",
    [newPet, "        shop: { type: string }\n"],
    ["[name, categoryId]", "[name, categoryId, shop]"],
  ],
  [
    "a field optional in an answer",
    "major",
    "no longer required: `categoryId`",
    ["[id, name, categoryId]", "[id, name]"],
  ],
  [
    "a field removed from an answer",
    "major",
    "Property `categoryId` of `Pet` was removed",
    ["        categoryId: *categoryId\n", ""],
    ["[id, name, categoryId]", "[id, name]"],
  ],
  [
    "a field removed from a request",
    "major",
    "Property `status` of `NewPet` was removed",
    [/(?<= {4}NewPet:\n[\s\S]*?) {8}status:\n.*\n/, ""],
  ],
  ["a success status", "major", "Response `201` became `202`", ['"201":', '"202":']],
  ["an answer removed", "major", "getPet, answer 404: Response `404` was removed", [/ {8}"404":\n.*\n/, ""]],
  [
    "a media type of a request",
    "major",
    "`application/json` became `application/xml`",
    [requestBody, "application/xml"],
  ],
  [
    "a media type of an answer",
    "major",
    "`application/json` became `application/xml`",
    ["application/json", "application/xml"],
  ],
  ["a header of an answer removed", "major", "Response header `Link` was removed", [/ {12}Link:\n.*\n/, ""]],
  [
    "a header of an answer no longer sure",
    "major",
    "header `WWW-Authenticate`: `required`",
    [/(?<=RFC 6750\)\.\n) {6}required: true\n/, ""],
  ],
  [
    "a credential added where none was",
    "major",
    "changed from none to apiKey",
    ["security:\n  - apiKey: []\n", "security: []\n"],
  ],
  [
    "a second credential",
    "major",
    "from apiKey to apiKey and other",
    ["  - apiKey: []\n", "  - apiKey: []\n    other: []\n"],
    ["  securitySchemes:\n", "  securitySchemes:\n    other: { type: apiKey, in: header, name: X-Other }\n"],
  ],
  ["a credential's scheme", "major", "from 'bearer' to 'basic'", ["scheme: bearer", "scheme: basic"]],
  ["an earlier sunset", "major", "`x-sunset` changed", ["x-sunset: 2030-12-05", "x-sunset: 2029-12-05"]],
  [
    "the address",
    "major",
    "the first server: It changed from https://petstore.example/v1 to https://petstore.example/v2",
    ["petstore.example/v1", "petstore.example/v2"],
  ],
  [
    "an open list closed",
    "major",
    "schema `Error`, field `code`: `x-extensible-enum` was removed",
    [/ {10}x-extensible-enum:\n( {12}- .*\n)+/, ""],
  ],
  ["a closed enum opened", "major", "`PetStatus`", ["      enum: [avail", "      x-extensible-enum: [avail"]],
  [
    "a required body added",
    "major",
    "getPet, body: It was added",
    [
      "operationId: getPet",
      "operationId: getPet\n      requestBody: { required: true, content: { application/json: { schema: { type: string } } } }",
    ],
  ],
  [
    "a scope of a credential",
    "major",
    "from apiKey to apiKey and apiKey's write",
    ["  - apiKey: []", "  - apiKey: [write]"],
  ],
  [
    "a field read only",
    "major",
    "`readOnly` was added: true. Not known to be harmless",
    ["          maxLength: 1000\n", "          maxLength: 1000\n          readOnly: true\n"],
  ],
  [
    "what no rule knows",
    "major",
    "schema `NewPet`: `patternProperties` was added. Not known to be harmless",
    [newPet, "        any: {}\n      patternProperties:\n"],
  ],
  [
    "an address of one operation",
    "major",
    "createPet: `servers` was added",
    ["operationId: createPet", "operationId: createPet\n      servers: [{ url: https://petstore.example/v1 }]"],
  ],
  [
    "a stable operation experimental",
    "major",
    "`x-stability`",
    ["operationId: getPet", "operationId: getPet\n      x-stability: experimental"],
  ],
  ["the name of a schema", "major", "schema `Pet`: It was removed", [/(schemas\/|^ {4})Pet(?=[":])/gm, "$1Animal"]],
  [
    "a sunset that has passed",
    "major",
    "`x-sunset` was added",
    ["operationId: createPet", "operationId: createPet\n      deprecated: true\n      x-sunset: 2026-11-20"],
  ],
  [
    "the first server",
    "major",
    "from https://petstore.example/v1 to https://staging.petstore.example/v1",
    [/servers:\n([\s\S]*?)( {2}- url: "\{staging[\s\S]*?)(?=security:)/, "servers:\n$2$1"],
  ],
  // What is new.
  [
    "an optional parameter added",
    "minor",
    "listPets, query parameter `shop`: It was added",
    [
      limit,
      limit.replace("- name: limit", "- { name: shop, in: query, schema: { type: string } }\n        - name: limit"),
    ],
  ],
  [
    "an optional field added to a request",
    "minor",
    "schema `NewPet`, field `shop`: It was added",
    [newPet, "        shop: { type: string }\n"],
  ],
  [
    "a field added to an answer",
    "minor",
    "schema `Pet`, field `shop`: It was added",
    [pet, "        shop: { type: string }\n"],
  ],
  [
    "an operation added",
    "minor",
    "the path /store (getStore): It was added",
    [
      "\ncomponents:\n",
      "  /store:\n    get: { operationId: getStore, responses: { default: { description: All. } } }\n\ncomponents:\n",
    ],
  ],
  [
    "a value added to an open list of an answer",
    "minor",
    '`x-extensible-enum` gained "on_fire"',
    ["            - unavailable\n", "            - unavailable\n            - on_fire\n"],
  ],
  [
    "an answer added",
    "minor",
    "getPet, answer 409: It was added",
    [/( {8})"404":\n(.*\n)/, '$1"404":\n$2$1"409":\n$2'],
  ],
  [
    "a media type added to a request",
    "minor",
    "createPet, body: `text/csv` was added",
    [requestBody, "text/csv: { schema: { type: string } }\n          application/json"],
  ],
  [
    "a header added to an answer",
    "minor",
    "header `X-Shop`: It was added",
    [/ {12}X-Request-Id:/, "            X-Shop: { schema: { type: string } }\n            X-Request-Id:"],
  ],
  ["a maximum widened", "minor", "`maximum` changed from 100 to 200", ["maximum: 100", "maximum: 200"]],
  [
    "a default added",
    "minor",
    '`default` was added: ""',
    ["            maxLength: 200\n", '            maxLength: 200\n            default: ""\n'],
  ],
  [
    "a field optional in a request",
    "minor",
    'schema `NewPet`: `required` lost "categoryId"',
    [/(?<= {4}NewPet:\n[\s\S]*?required: )\[name, categoryId\]/, "[name]"],
  ],
  [
    "a body optional",
    "minor",
    "createPet, body: `required` changed from true to false",
    [
      "        required: true\n        description: The animal",
      "        required: false\n        description: The animal",
    ],
  ],
  [
    "another credential accepted",
    "minor",
    "from apiKey to apiKey, or other",
    ["  - apiKey: []\n", "  - apiKey: []\n  - other: []\n"],
    ["  securitySchemes:\n", "  securitySchemes:\n    other: { type: apiKey, in: header, name: X-Other }\n"],
  ],
  [
    "no credential needed",
    "minor",
    "getPet: The credential that it needs changed from apiKey to none",
    ["operationId: getPet", "operationId: getPet\n      security: []"],
  ],
  [
    "an operation deprecated",
    "minor",
    "`deprecated` was added: true",
    ["operationId: createPet", "operationId: createPet\n      deprecated: true"],
  ],
  [
    "a later sunset",
    "minor",
    '`x-sunset` changed from "2030-12-05" to "2031-12-05"',
    ["x-sunset: 2030-12-05", "x-sunset: 2031-12-05"],
  ],
  [
    "an optional body added",
    "minor",
    "getPet, body: It was added",
    [
      "operationId: getPet",
      "operationId: getPet\n      requestBody: { content: { application/json: { schema: { type: string } } } }",
    ],
  ],
  // What is text.
  [
    "the order of a list",
    "patch",
    "`enum` changed its order",
    ["[available, pending, sold]", "[sold, available, pending]"],
  ],
  [
    "a group",
    "patch",
    "tag `Orders`: It was added",
    ["\ntags:\n", "\ntags:\n  - { name: Orders, description: Orders. }\n"],
  ],
  [
    "a summary",
    "patch",
    "listPets: Its `summary` was written anew",
    ["summary: List animals", "summary: List the animals"],
  ],
  [
    "the description of the whole",
    "patch",
    "Its `description` was written anew",
    ["The store keeps", "Our store keeps"],
  ],
  ["an example", "patch", "examples", ["{ id: 2, name: Tom, categoryId: 3 }", "{ id: 3, name: Tom, categoryId: 3 }"]],
];
// Read backwards: the document is the later version.
const backwards = new Set(["a body's size limited", "a credential added where none was"]);

t.test("each change of the document is rated, in words that name it", async (t) => {
  const today = "2026-11-21";
  const check = async ([name, impact, says, ...edits]: (typeof table)[number]) => {
    const edited = edit(released, ...edits);
    const [base, revision] = backwards.has(name) ? [edited, released] : [released, edited];
    const changes = await compare(base, revision, today);
    const lines = changes.map(({ where, what }) => `${where}: ${what}`);
    t.equal(changes[0]?.impact, impact, `${name} is ${impact}`);
    t.ok(
      lines.some((line) => line.includes(says)),
      `${name} is said: ${lines.slice(0, 3).join(" ")}`,
    );
  };
  // A few at a time: each starts a process.
  for (let n = 0; n < table.length; n += 4) await Promise.all(table.slice(n, n + 4).map(check));
});

t.test("an operation may become more stable, not less", async (t) => {
  const marked = (stability: string) =>
    edit(released, ["operationId: getPet", `operationId: getPet\n      x-stability: ${stability}`]);
  const [experimental, beta] = [marked("experimental"), marked("beta")];
  const impact = async (base: string, revision: string) => (await compare(base, revision, "2026-11-21"))[0]?.impact;
  t.equal(await impact(beta, experimental), "major");
  t.equal(await impact(experimental, beta), "minor");
  t.equal(await impact(beta, released), "minor");
  t.equal(await impact(released, beta), "major");
});

t.test("a document that only moved its lines has not changed", async (t) => {
  const moved = edit(
    released,
    ["# Routes, validation", "# Routes, checks"],
    [/ &headers$/m, " &h"],
    [/\*headers/g, "*h"],
  );
  t.same(await compare(released, moved, "2026-11-21"), []);
});

t.test("an operation may go when its sunset has passed, and what only it referred to", async (t) => {
  const removed = edit(
    released,
    [/ {2}\/pets\/\{petId\}:[\s\S]*?\ncomponents:/, "\ncomponents:"],
    [/ {4}NotFound:\n[\s\S]*?(?= {4}MethodNotAllowed:)/, ""],
    [/ {4}Id:\n[\s\S]*?(?= {4}PetStatus:)/, ""],
  );
  const impact = async (today: string, base = released, revision = removed) =>
    (await compare(base, revision, today))[0]?.impact;
  t.equal(await impact("2030-12-05"), "major", "not on the day itself");
  t.equal(await impact("2030-12-06"), "minor");
  const both: Edit = [
    "  /pets:\n",
    "  /pets:\n    summary: All.\n    delete: { operationId: clear, x-sunset: 2030-12-05, responses: {} }\n",
  ];
  t.equal(
    await impact("2030-12-06", edit(released, both), edit(removed, ["  /pets:\n", "  /pets:\n    summary: All.\n"])),
    "minor",
    "one of a path",
  );
  t.equal(
    await impact(
      "2030-12-06",
      edit(released, both),
      edit(released, [/ {4}post:\n[\s\S]*?(?= {2}\/pets\/\{petId\}:)/, ""]),
    ),
    "major",
  );
  const broken = edit(removed, [/ {4}PetStatus:[\s\S]*?(?= {4}NewPet:)/, ""]);
  await t.rejects(impact("2030-12-06", released, broken), {
    message: /^The document can't be compared: .*#\/paths\/~1pets\/get\/parameters\/1\/schema Can't resolve \$ref/,
  });
});

t.test("a parameter with an open list is the same wherever it stands", async (t) => {
  const shop = "        - { name: shop, in: query, schema: { type: string, x-extensible-enum: [north, south] } }\n";
  const base = edit(released, [
    "      parameters:\n        - name: limit",
    `      parameters:\n${shop}        - name: limit`,
  ]);
  const moved = edit(released, ["        - name: status\n", `${shop}        - name: status\n`]);
  t.match(
    (await compare(base, moved, "2026-11-21")).filter(({ impact }) => impact !== "patch"),
    [],
  );
  const less = edit(moved, ["[north, south]", "[north]"]);
  t.match(await compare(base, less, "2026-11-21"), [{ impact: "major", what: '`x-extensible-enum` lost "south".' }]);
});

// A copy of the project with 1.0.0 released as the document is, and its scripts.
function project(t: Test) {
  const place = folder(t);
  for (const name of ["scripts", "src", "openapi", "package.json"])
    cpSync(join(root, name), join(place, name), { recursive: true });
  rmSync(join(place, "openapi/released"), { recursive: true });
  rmSync(join(place, "openapi/CHANGELOG.md"), { force: true });
  mkdirSync(join(place, "openapi/released"));
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  writeFileSync(join(place, "openapi/petstore.yaml"), released);
  const read = (name: string) => readFileSync(join(place, name), "utf8");
  const write = (...edits: Edit[]) => writeFileSync(join(place, "openapi/petstore.yaml"), edit(released, ...edits));
  const run = (command: string) => {
    const script = join(place, "scripts/contract.ts");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, command], { encoding: "utf8" });
    return { status, stdout, stderr };
  };
  return { read, write, run };
}

const version = (text: string): Edit => [/(?<=\n {2}version: ).*/, text];
const shop: Edit = [newPet, "        shop: { type: string, maxLength: 10 }\n"];
const status: Edit = [/ {8}- name: status\n(.*\n){4}/, ""];

t.test("npm run contract:diff asks for the version that the changes need", async (t) => {
  const { write, run } = project(t);
  t.match(run("diff"), { status: 1, stderr: /Nothing is released yet/ });
  t.match(run("release"), { status: 0 });
  t.match(run("diff"), { status: 0, stdout: /keeps what 1\.0\.0 promised/ }, "no change");

  write(status);
  t.match(run("diff"), {
    status: 1,
    stdout: /^breaking: listPets, query parameter `status`: `status` query parameter was removed\.$/m,
    stderr: /breaks what 1\.0\.0 promised: take it back, or make it 2\.0\.0 at an address of its own, not \/v1/,
  });
  write(status, version("1.1.0"));
  t.match(run("diff"), { status: 1 }, "a minor version does not make up for it");
  write(status, version("2.0.0"));
  t.match(run("diff"), { status: 1, stderr: /an address of its own/ }, "nor does a major one at the same address");
  write(status, version("2.0.0"), [/petstore\.example\/v1/g, "petstore.example/v2"]);
  t.match(run("diff"), { status: 0 }, "a major version at another address is another service");
  write(["maximum: 100", "maximum: 50"], version("1.1.0"));
  t.match(run("diff"), {
    status: 1,
    stdout: /listPets, query parameter `limit`: Upper bound changed from '<= 100' to '<= 50'/,
  });

  write(shop);
  t.match(run("diff"), {
    status: 1,
    stdout: /^new: schema `NewPet`, field `shop`: It was added\.$/m,
    stderr: /info\.version must be at least 1\.1\.0, since something is new or looser; it is 1\.0\.0/,
  });
  write(shop, version("1.0.1"));
  t.match(run("diff"), { status: 1 }, "a patch version is too little");
  write(shop, version("1.1.0"));
  t.match(run("diff"), { status: 0, stdout: /^new: / });
  write(["summary: List animals", "summary: List the animals"]);
  t.match(run("diff"), { status: 1, stderr: /at least 1\.0\.1, since its text changed/ });
  write(version("0.9.0"));
  t.match(run("diff"), { status: 1, stderr: /0\.9\.0 is behind 1\.0\.0/ });
  write(version("next"));
  t.match(run("diff"), { status: 1, stderr: /info\.version must be like 1\.2\.3, and is next/ });
  t.match(run("dif"), { status: 2, stderr: /diff\|release/ });
});

t.test("npm run contract:release makes the baseline and the changelog", async (t) => {
  const { read, write, run } = project(t);
  run("release");
  t.equal(read("openapi/released/1.0.0.yaml"), released, "the document as it is, with its day");
  const first = read("openapi/CHANGELOG.md");
  t.match(first, /^# Changelog of the contract\n[\s\S]*\n## 1\.0\.0, 2026-11-20\n\nThe first release\.\n$/);
  t.match(run("release"), { status: 0, stdout: /1\.0\.0 is released already/ });

  write(shop);
  t.match(run("release"), { status: 1, stderr: /at least 1\.1\.0/ }, "nothing is released past the gate");
  t.equal(read("openapi/CHANGELOG.md"), first);
  write(shop, version("1.1.0"), ["summary: List animals", "summary: List the animals"]);
  t.match(run("release"), { status: 0 });
  const today = new Date().toISOString().slice(0, 10);
  t.match(
    read("openapi/CHANGELOG.md"),
    `# Changelog of the contract

What changed for those who build on it. Written by \`npm run contract:release\`.

## 1.1.0, ${today}

### New

- schema \`NewPet\`, field \`shop\`: It was added.

### Text

- listPets: Its \`summary\` was written anew.

## 1.0.0, 2026-11-20
`,
  );
  t.match(read("openapi/petstore.yaml"), `\n  x-released: ${today}\n`, "a new version has its own day");
  t.equal(read("openapi/released/1.1.0.yaml"), read("openapi/petstore.yaml"));
  t.match(run("diff"), { status: 0, stdout: /keeps what 1\.1\.0 promised/ }, "and is what the next is held to");
});
