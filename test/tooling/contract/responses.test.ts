// How the contract gate rates changes of responses and schemas, and documents that differ only in form.
import t from "tap";
import { compare } from "../../../scripts/contract/compare.ts";
import { baseline, type Change, checkImpact, highestImpact, today } from "../../support/contract.ts";
import { edit } from "../../support/files.ts";

const pet = /(?<= {4}Pet:\n[\s\S]*?properties:\n)/;

const breaking: Change[][] = [
  [
    [
      "a value added to a closed enum of a response",
      'schema `PetStatus`, in responses: `enum` gained "lost"',
      ["[available, pending, sold]", "[available, pending, sold, lost]"],
    ],
    [
      "a value removed from an open list",
      'schema `Error`, field `code`: `x-extensible-enum` lost "unavailable"',
      ["            - unavailable\n", ""],
    ],
    [
      "a field made optional in a response",
      "schema `Pet`, field `categoryId`: It is no longer required.",
      ["[id, name, categoryId]", "[id, name]"],
    ],
    ["a success status changed", "createPet, response 201: Removed.", ['"201":', '"202":']],
    ["a response removed", "getPet, response 404: Removed.", [/ {8}"404":\n.*\n/, ""]],
    [
      "a response's media type changed",
      "listPets, response 200, `application/json`: Removed.",
      ["application/json", "application/xml"],
    ],
    [
      "a response header made optional",
      "header `WWW-Authenticate`: It is no longer required.",
      [/(?<=RFC 6750\)\.\n) {6}required: true\n/, ""],
    ],
  ],
  [
    [
      "a field removed from a response",
      "schema `Pet`, field `categoryId`: Removed.",
      ["        categoryId: *categoryId\n", ""],
      ["[id, name, categoryId]", "[id, name]"],
    ],
    ["a response header removed", "listPets, response 200, header `Link`: Removed.", [/ {12}Link:\n.*\n/, ""]],
    [
      "an open list closed",
      "schema `Error`, field `code`: `x-extensible-enum` was removed",
      [/ {10}x-extensible-enum:\n( {12}- .*\n)+/, ""],
    ],
    [
      "a closed enum opened",
      "schema `PetStatus`, in responses: `enum` was removed.",
      ["      enum: [avail", "      x-extensible-enum: [avail"],
    ],
  ],
  [["a schema renamed", "schema `Pet`: Removed.", [/(schemas\/|^ {4})Pet(?=[":])/gm, "$1Cat"]]],
];

t.test("Rates changes of responses and schemas that break callers as major", (t) =>
  checkImpact(t, "major", ...breaking),
);

const additions: Change[][] = [
  [
    ["a field added to a response", "schema `Pet`, field `shop`: Added.", [pet, "        shop: { type: string }\n"]],
    [
      "a value added to an open list of a response",
      '`x-extensible-enum` gained "on_fire"',
      ["            - unavailable\n", "            - unavailable\n            - on_fire\n"],
    ],
    ["a response added", "getPet, response 409: Added.", [/( {8})"404":\n(.*\n)/, '$1"404":\n$2$1"409":\n$2']],
    [
      "a response header added",
      "header `X-Shop`: Added.",
      [/ {12}X-Request-Id:/, "            X-Shop: { schema: { type: string } }\n            X-Request-Id:"],
    ],
  ],
];

t.test("Rates additions to responses and schemas as minor", (t) => checkImpact(t, "minor", ...additions));

t.test("Rates a field added to a response as major if the released schema is closed", async (t) => {
  const addField = (base: string) => edit(base, [pet, "        shop: { type: string }\n"]);
  const required = "      required: [id, name, categoryId]\n";
  for (const keyword of ["additionalProperties", "unevaluatedProperties"]) {
    const closed = edit(baseline, [required, `${required}      ${keyword}: false\n`]);
    t.equal(await highestImpact(closed, addField(closed)), "major", keyword);
    t.match(
      (await compare(closed, addField(closed), today))[0],
      { location: "schema `Pet`, field `shop`", description: "Added." },
      "reports the field",
    );
  }
  const composed = edit(
    baseline,
    ['              $ref: "#/components/schemas/Pet"\n', '              $ref: "#/components/schemas/Sold"\n'],
    [
      "  schemas:\n",
      '  schemas:\n    Sold: { allOf: [{ $ref: "#/components/schemas/Pet" }], unevaluatedProperties: false }\n',
    ],
  );
  t.equal(await highestImpact(composed, addField(composed)), "major", "a part of a closed schema");
  const newPet = /(?<= {4}NewPet:\n[\s\S]*?properties:\n)/;
  const added = edit(baseline, [newPet, "        shop: { type: string }\n"]);
  t.equal(await highestImpact(baseline, added), "minor", "a closed schema of requests only");
});

t.test("Rates changes of the order of an enum and of examples as patch", (t) =>
  checkImpact(
    t,
    "patch",
    [
      [
        "an enum reordered",
        "document: The order, or a component that no operation uses, changed.",
        ["[available, pending, sold]", "[sold, available, pending]"],
      ],
    ],
    [
      [
        "an example changed",
        "listPets, response 200, `application/json`: `examples` changed.",
        ["{ id: 2, name: Tom, categoryId: 3 }", "{ id: 3, name: Tom, categoryId: 3 }"],
      ],
    ],
  ),
);

t.test("Reports no change if only comments and YAML anchors change", async (t) => {
  const moved = edit(
    baseline,
    ["# Routes, validation", "# Routes, checks"],
    [/ &headers$/m, " &h"],
    [/\*headers/g, "*h"],
  );
  t.same(await compare(baseline, moved, today), []);
});

t.test("Finds the open list of a parameter again if the parameter moves within its list", async (t) => {
  const shop = "        - { name: shop, in: query, schema: { type: string, x-extensible-enum: [north, south] } }\n";
  const limit = "        - name: limit";
  const base = edit(baseline, [`      parameters:\n${limit}`, `      parameters:\n${shop}${limit}`]);
  const moved = edit(baseline, ["        - name: status\n", `${shop}        - name: status\n`]);
  t.same(
    (await compare(base, moved, today)).filter(({ impact }) => impact !== "patch"),
    [],
  );
  const less = edit(moved, ["[north, south]", "[north]"]);
  t.match(await compare(base, less, today), [{ impact: "major", description: '`x-extensible-enum` lost "south".' }]);
});
