// Operations that use unsupported features of OpenAPI are rejected, with the name of the operation.
import t from "tap";
import { readDocument } from "../../src/pets/document.ts";
import { edit, released } from "../support/files.ts";

const op = (extra: string): [string, string] => ["operationId: getPet", `operationId: getPet\n      ${extra}`];

t.test("Rejects an operation that uses an unsupported feature", async (t) => {
  for (const [message, ...edits] of [
    [
      /listPets has the parameter limit, whose type/,
      [/schema:\n {12}type: integer[\s\S]*?default: 20/, "content: { text/plain: {} }"],
    ],
    [
      /createPet has the x-max-bytes lots, but it must be a positive integer/,
      ["x-max-bytes: 65536", "x-max-bytes: lots"],
    ],
    [/getPet has the field servers, which is not supported/, op("servers: [{ url: /x }]")],
    [/getPet has the path \/pets\/a:b\/\{petId\}, which the router/, ["/pets/{petId}:", "/pets/a:b/{petId}:"]],
    [/listPets has the parameter status twice/, ["- name: cursor", "- name: status"]],
    [/createPet has the header parameter Authorization/, ["- name: Idempotency-Key", "- name: Authorization"]],
    [
      /listPets has the parameter limit with allowEmptyValue/,
      ["- name: limit", "- name: limit\n          allowEmptyValue: true"],
    ],
    [
      /listPets has the parameter cursor with allowReserved/,
      ["- name: cursor", "- name: cursor\n          allowReserved: true"],
    ],
    [
      /listPets has the parameter limit with the style deepObject/,
      ["- name: limit", "- name: limit\n          style: deepObject"],
    ],
    [/getPet has the path parameter pet-id, whose name must be camelCase/, [/petId/g, "pet-id"]],
    [/getPet must have the path parameter petId both/, ["- name: petId", "- name: id"]],
    [/getPet must have the path parameter other both/, ["/pets/{petId}:", "/pets/{petId}/{other}:"]],
    [/getPet must have the path parameter petId both/, ["/pets/{petId}:", "/pets/one:"]],
    [
      /listPets has the cookie parameter status/,
      [/name: status\n {10}in: query/, "name: status\n          in: cookie"],
    ],
    [
      /listPets has the parameter limit, whose type must be one of/,
      ["type: integer\n            format: int32", "type: array\n            format: int32"],
    ],
    [
      /createPet has a body of text\/csv, but only application\/json is supported/,
      ["65536\n        content:\n", "65536\n        content:\n          text/csv: {}\n"],
    ],
    [/getPet has the x-stability alpha, but it must be experimental or beta/, op("x-stability: alpha")],
    [/getPet requires the security scheme nope, which is not declared/, op("security: [{ nope: [] }]")],
    [
      /getPet requires roles of the security scheme apiKey, which are not supported/,
      op("security: [{ apiKey: [admin] }]"),
    ],
    [
      /getPet is deprecated, but its x-sunset is not a date such as 2030-12-05/,
      [/x-sunset: .*/, "x-sunset: 2030-02-30"],
    ],
    [
      /getPet is deprecated, but its x-deprecated-since is not a date/,
      [/x-deprecated-since: .*/, ""],
      [/ {2}x-released: .*\n/, ""],
    ],
    [/getPet has an x-sunset before its deprecation/, [/x-sunset: .*/, "x-sunset: 2020-12-05"]],
    [/getPet has the x-successor nope, which is not an operationId/, ["x-successor: listPets", "x-successor: nope"]],
  ] as [RegExp, ...[string | RegExp, string][]][])
    await t.rejects(async () => readDocument(edit(released, ...edits)), { message }, String(message));
});

t.test("Accepts x-stability beta", async (t) => {
  t.match((await readDocument(edit(released, op("x-stability: beta")))).operations, Array);
});

t.test("Accepts a deprecated operation without x-sunset and x-successor", async (t) => {
  const { operations } = await readDocument(edit(released, [/ {6}x-sunset: .*\n/, ""], [/ {6}x-successor: .*\n/, ""]));
  t.match(operations.find(({ id }) => id === "getPet")?.deprecation, {
    since: Date,
    sunset: undefined,
    successor: undefined,
  });
});
