// How the contract gate rates changes of parameters and request bodies.
import t from "tap";
import { type Change, checkImpact, checkImpactOfUndoing } from "../../support/contract.ts";

const limit = "      parameters:\n        - name: limit";
const newPet = /(?<= {4}NewPet:\n[\s\S]*?properties:\n)/;
const requestBody = /(?<=x-max-bytes: 65536\n {8}content:\n {10})application\/json/;

const breaking: Change[][] = [
  [
    [
      "a path parameter renamed",
      'path parameter `id`: `name` changed from "petId"',
      ["/pets/{petId}", "/pets/{id}"],
      ["name: petId", "name: id"],
    ],
    ["a parameter removed", "listPets, query parameter `status`: Removed.", [/ {8}- name: status\n(.*\n){4}/, ""]],
    [
      "a header parameter renamed",
      "createPet, header parameter `Idempotency-Key`: Removed.",
      ["name: Idempotency-Key", "name: Idempotency"],
    ],
    [
      "a required parameter added",
      "listPets, query parameter `shop`: Added, and required.",
      [
        limit,
        limit.replace(
          "- name: limit",
          "- { name: shop, in: query, required: true, schema: { type: string } }\n        - name: limit",
        ),
      ],
    ],
    [
      "a maximum lowered",
      "listPets, query parameter `limit`: `maximum` changed from 100 to 50.",
      ["maximum: 100", "maximum: 50"],
    ],
    ["a minimum raised", "`minimum` changed from 1 to 2.", ["minimum: 1\n", "minimum: 2\n"]],
    [
      "a maximum length lowered",
      "schema `NewPet`, field `name`: `maxLength` changed from 1000 to 10.",
      ["maxLength: 1000", "maxLength: 10"],
    ],
    [
      "a pattern added",
      '`pattern` was added with the value "a"',
      ["            maxLength: 200\n", "            maxLength: 200\n            pattern: a\n"],
    ],
    [
      "a maximum body size lowered",
      "createPet, body: `x-max-bytes` changed from 65536 to 1024",
      ["x-max-bytes: 65536", "x-max-bytes: 1024"],
    ],
    [
      "a default changed",
      "listPets, query parameter `limit`: `default` changed from 20 to 10",
      ["default: 20", "default: 10"],
    ],
    [
      "a field's type changed",
      "schema `NewPet`, field `categoryId`: `type` changed from integer to string.",
      [/(?<=categoryId: &categoryId\n {10}type: )integer/, "string"],
    ],
    [
      "a field made required in a request",
      "schema `NewPet`, field `status`: It became required.",
      [/(?<= {4}NewPet:\n[\s\S]*?required: )\[name, categoryId\]/, "[name, categoryId, status]"],
    ],
    [
      "a required body added",
      "getPet, body: Added, and required.",
      [
        "operationId: getPet",
        "operationId: getPet\n      requestBody: { required: true, content: { application/json: { schema: { type: string } } } }",
      ],
    ],
  ],
  [
    [
      "a parameter made required",
      "query parameter `status`: It became required.",
      ["- name: status\n", "- name: status\n          required: true\n"],
    ],
    ["a default removed", "`default` was removed. Its value was 20.", ["            default: 20\n", ""]],
    [
      "a parameter's type changed",
      "query parameter `limit`: `type` changed from integer to string.",
      [
        "type: integer\n            format: int32\n            minimum: 1",
        "type: string\n            format: int32\n            minimum: 1",
      ],
    ],
    [
      "a format changed",
      'schema `NewPet`, field `categoryId`: `format` changed from "int64" to "int32"',
      [/(?<=categoryId: &categoryId\n {10}type: integer\n {10}format: )int64/, "int32"],
    ],
    [
      "an enum value removed from a request",
      'schema `PetStatus`, in requests: `enum` lost "sold"',
      ["[available, pending, sold]", "[available, pending]"],
    ],
    [
      "a required field added to a request",
      "schema `NewPet`, field `shop`: Added, and required.",
      [newPet, "        shop: { type: string }\n"],
      ["[name, categoryId]", "[name, categoryId, shop]"],
    ],
    [
      "a field made read-only",
      "schema `NewPet`, field `name`: `readOnly` was added with the value true.",
      ["          maxLength: 1000\n", "          maxLength: 1000\n          readOnly: true\n"],
    ],
  ],
  [
    [
      "a request's media type changed",
      "createPet, body, `application/json`: Removed.",
      [requestBody, "application/xml"],
    ],
  ],
  [
    [
      "a field removed from a request",
      "schema `NewPet`, field `status`: Removed.",
      [/(?<= {4}NewPet:\n[\s\S]*?) {8}status:\n.*\n/, ""],
    ],
    [
      "a keyword added that no rule rates",
      "schema `NewPet`: `patternProperties` was added. No rule rates this change as compatible.",
      [newPet, "        any: {}\n      patternProperties:\n"],
    ],
  ],
];

t.test("Rates changes of parameters and request bodies that break callers as major", (t) =>
  checkImpact(t, "major", ...breaking),
);

t.test("Rates a new limit on the body size as major", (t) =>
  checkImpactOfUndoing(t, "major", [
    "a body size limited",
    "`x-max-bytes` was added with the value 65536",
    ["        x-max-bytes: 65536\n", ""],
  ]),
);

const additions: Change[][] = [
  [
    [
      "an optional parameter added",
      "listPets, query parameter `shop`: Added.",
      [
        limit,
        limit.replace("- name: limit", "- { name: shop, in: query, schema: { type: string } }\n        - name: limit"),
      ],
    ],
    [
      "an optional field added to a request",
      "schema `NewPet`, field `shop`: Added.",
      [newPet, "        shop: { type: string }\n"],
    ],
    [
      "a media type added to a request",
      "createPet, body, `text/csv`: Added.",
      [requestBody, "text/csv: { schema: { type: string } }\n          application/json"],
    ],
    ["a maximum raised", "`maximum` changed from 100 to 200", ["maximum: 100", "maximum: 200"]],
    [
      "a default added",
      '`default` was added with the value ""',
      ["            maxLength: 200\n", '            maxLength: 200\n            default: ""\n'],
    ],
    [
      "a field made optional in a request",
      "schema `NewPet`, field `categoryId`: It is no longer required.",
      [/(?<= {4}NewPet:\n[\s\S]*?required: )\[name, categoryId\]/, "[name]"],
    ],
    [
      "a body made optional",
      "createPet, body: It is no longer required.",
      ["        required: true\n        description: The pet", "        required: false\n        description: The pet"],
    ],
    [
      "an optional body added",
      "getPet, body: Added.",
      [
        "operationId: getPet",
        "operationId: getPet\n      requestBody: { content: { application/json: { schema: { type: string } } } }",
      ],
    ],
  ],
];

t.test("Rates additions to parameters and request bodies as minor", (t) => checkImpact(t, "minor", ...additions));
