// How the contract gate rates changes of operations, credentials and addresses.
import t from "tap";
import { compare } from "../../../scripts/contract/compare.ts";
import {
  baseline,
  type Change,
  checkImpact,
  checkImpactOfUndoing,
  type Edit,
  highestImpact,
  today,
} from "../../support/contract.ts";
import { edit } from "../../support/files.ts";

const breaking: Change[][] = [
  [
    ["an operation removed", "getPet: Removed.", [/ {2}\/pets\/\{petId\}:[\s\S]*?\ncomponents:/, "\ncomponents:"]],
    ["a method changed", "createPet: Moved from POST /pets to PUT /pets.", ["    post:\n", "    put:\n"]],
    ["a credential's scheme changed", "from http bearer to http basic", ["scheme: bearer", "scheme: basic"]],
    [
      "the address changed",
      "document servers: URL changed from https://petstore.example/v1 to https://petstore.example/v2",
      ["petstore.example/v1", "petstore.example/v2"],
    ],
  ],
  [
    ["an operationId changed", '`operationId` changed from "listPets" to "findPets"', [/listPets/g, "findPets"]],
    ["a path renamed", "getPet: Moved from GET /pets/{} to GET /cats/{}.", ["  /pets/{petId}:", "  /cats/{petId}:"]],
    ["an earlier sunset", "`x-sunset` changed", ["x-sunset: 2030-12-05", "x-sunset: 2029-12-05"]],
    [
      "an address of one operation added",
      "createPet: URL https://staging.petstore.example/v1 was removed.",
      ["operationId: createPet", "operationId: createPet\n      servers: [{ url: https://petstore.example/v1 }]"],
    ],
    [
      "a stable operation made experimental",
      "`x-stability`",
      ["operationId: getPet", "operationId: getPet\n      x-stability: experimental"],
    ],
    [
      "a sunset added that has passed",
      "`x-sunset` was added",
      ["operationId: createPet", "operationId: createPet\n      deprecated: true\n      x-sunset: 2026-11-20"],
    ],
    [
      "the first server replaced",
      "from https://petstore.example/v1 to https://staging.petstore.example/v1",
      [/servers:\n([\s\S]*?)( {2}- url: "\{staging[\s\S]*?)(?=security:)/, "servers:\n$2$1"],
    ],
  ],
  [
    [
      "a second credential required",
      "from apiKey to apiKey and other",
      ["  - apiKey: []\n", "  - apiKey: []\n    other: []\n"],
      ["  securitySchemes:\n", "  securitySchemes:\n    other: { type: apiKey, in: header, name: X-Other }\n"],
    ],
  ],
  [
    [
      "a scope of a credential required",
      "from apiKey to apiKey and apiKey's write",
      ["  - apiKey: []", "  - apiKey: [write]"],
    ],
  ],
];

t.test("Rates changes of operations, credentials and addresses that break callers as major", (t) =>
  checkImpact(t, "major", ...breaking),
);

t.test("Rates a credential that becomes required as major", (t) =>
  checkImpactOfUndoing(t, "major", [
    "a credential required for the first time",
    "changed from none to apiKey",
    ["security:\n  - apiKey: []\n", "security: []\n"],
  ]),
);

const additions: Change[][] = [
  [
    [
      "an operation added",
      "getStore: Added.",
      [
        "\ncomponents:\n",
        "  /store:\n    get: { operationId: getStore, responses: { default: { description: All. } } }\n\ncomponents:\n",
      ],
    ],
    [
      "another credential accepted",
      "from apiKey to apiKey, or other",
      ["  - apiKey: []\n", "  - apiKey: []\n  - other: []\n"],
      ["  securitySchemes:\n", "  securitySchemes:\n    other: { type: apiKey, in: header, name: X-Other }\n"],
    ],
    [
      "an operation deprecated",
      "`deprecated` was added with the value true",
      ["operationId: createPet", "operationId: createPet\n      deprecated: true"],
    ],
    [
      "a later sunset",
      '`x-sunset` changed from "2030-12-05" to "2031-12-05"',
      ["x-sunset: 2030-12-05", "x-sunset: 2031-12-05"],
    ],
  ],
  [
    [
      "no credential required any more",
      "getPet: Security requirement changed from apiKey to none",
      ["operationId: getPet", "operationId: getPet\n      security: []"],
    ],
  ],
];

t.test("Rates additions to operations, credentials and addresses as minor", (t) =>
  checkImpact(t, "minor", ...additions),
);

t.test("Rates changes of tags, summaries and descriptions as patch", (t) =>
  checkImpact(t, "patch", [
    [
      "a tag added",
      "document tags: `tags` changed.",
      ["\ntags:\n", "\ntags:\n  - { name: Orders, description: Orders. }\n"],
    ],
    ["a summary rewritten", "listPets: `summary` changed", ["summary: List pets", "summary: List all pets"]],
    [
      "the document's description rewritten",
      "document info: `description` changed",
      ["The store keeps", "Our store keeps"],
    ],
  ]),
);

t.test("Allows an operation to become more stable, but not less", async (t) => {
  const mark = (stabilities: Record<string, string>) =>
    Object.entries(stabilities).reduce(
      (text, [id, stability]) =>
        edit(text, [`operationId: ${id}`, `operationId: ${id}\n      x-stability: ${stability}`]),
      baseline,
    );
  const base = mark({ listPets: "beta", createPet: "experimental", getPet: "beta" });
  const revision = mark({ listPets: "experimental", createPet: "beta" });
  const changes = await compare(base, revision, today);
  t.same(Object.fromEntries(changes.map(({ location, impact }) => [location, impact])), {
    listPets: "major",
    createPet: "minor",
    getPet: "minor",
  });
  t.equal(await highestImpact(baseline, mark({ getPet: "beta" })), "major", "a stable operation made beta");
});

t.test("Allows an operation and its own components to be removed after its sunset", async (t) => {
  const removed = edit(
    baseline,
    [/ {2}\/pets\/\{petId\}:[\s\S]*?\ncomponents:/, "\ncomponents:"],
    [/ {4}NotFound:\n[\s\S]*?(?= {4}Failure:)/, ""],
    [/ {4}Id:\n[\s\S]*?(?= {4}PetStatus:)/, ""],
  );
  const [sunset, dayAfter] = ["2030-12-05", "2030-12-06"];
  t.equal(await highestImpact(baseline, removed, sunset), "major", "not on the day of the sunset");
  t.equal(await highestImpact(baseline, removed, dayAfter), "minor");

  const summary = "  /pets:\n    summary: All.\n";
  const another: Edit = [
    "  /pets:\n",
    `${summary}    delete: { operationId: clear, x-sunset: ${sunset}, responses: {} }\n`,
  ];
  const base = edit(baseline, another);
  t.equal(
    await highestImpact(base, edit(removed, ["  /pets:\n", summary]), dayAfter),
    "minor",
    "one operation of a path",
  );
  const withoutCreate: Edit = [/ {4}post:\n[\s\S]*?(?= {2}\/pets\/\{petId\}:)/, ""];
  t.equal(
    await highestImpact(base, edit(baseline, withoutCreate), dayAfter),
    "major",
    "an operation without a sunset on the same path",
  );
  const broken = edit(removed, [/ {4}PetStatus:[\s\S]*?(?= {4}NewPet:)/, ""]);
  await t.rejects(compare(baseline, broken, dayAfter), {
    message: /^Can't compare the documents: .*PetStatus, which leads to nothing/,
  });
});
