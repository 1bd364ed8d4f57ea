// What only a request declares, at any depth, such as the number of a card: no record has it.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { describePlan, planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (name: string) => `content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } }`;
const patches = `requestBody: { content: { application/merge-patch+json: { schema: { $ref: "#/components/schemas/NewPayer" } }, application/json: { schema: { $ref: "#/components/schemas/NewPayer" } }, application/json-patch+json: { schema: { type: array } } } }`;
const payer = `responses: { 200: { description: x, ${json("Payer")} } }`;
const object = (properties: string, rest = "") => `{ type: object, properties: { ${properties} }${rest} }`;
const text = "{ type: string }";
const document = documentOf(
  `  /payers:
    post: { operationId: addPayer, requestBody: { required: true, ${json("NewPayer")} }, responses: { 201: { description: x, ${json("Payer")} } } }
  /payers/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getPayer, ${payer} }
    put: { operationId: putPayer, requestBody: { required: true, ${json("NewPayer")} }, ${payer} }
    patch: { operationId: changePayer, ${patches}, ${payer} }
  /payers/{id}/card:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put: { operationId: putCard, requestBody: { required: true, ${json("NewPayer")} }, ${payer} }
`,
  `components:
  schemas:
    Card: ${object(`brand: ${text}`)}
    NewCard: { allOf: [{ $ref: "#/components/schemas/Card" }, ${object(`number: ${text}`)}] }
    NewPayer: ${object(`name: ${text}, card: { $ref: "#/components/schemas/NewCard" }, cards: { type: array, items: { $ref: "#/components/schemas/NewCard" } }, way: { anyOf: [${object(`iban: ${text}, pin: ${text}`)}, ${object(`token: ${text}`)}] }, login: ${object(`password: ${text}`)}, keys: ${object("", `, additionalProperties: ${object(`label: ${text}, secret: ${text}`)}`)}, places: ${object(`x: { type: integer }, code: { type: string, format: password }`)}`)}
    Payer: ${object(`id: { type: integer }, name: ${text}, card: { $ref: "#/components/schemas/Card" }, cards: { type: array, items: { $ref: "#/components/schemas/Card" } }, way: { anyOf: [${object(`iban: ${text}`)}, ${object(`email: ${text}`)}] }, login: { type: object }, keys: ${object("", `, additionalProperties: ${object(`label: ${text}`)}`)}, places: { type: object, additionalProperties: { type: [integer, string] } }`, ", required: [id]")}
`,
);

const card = { brand: "visa", number: "4242", color: "red" };
const kept = { brand: "visa", color: "red" };

testLikely("what only a request declares is not kept, at any depth", document, async (t, send) => {
  const created = await send("POST", "/payers", {
    name: "Ada",
    card,
    cards: [card, card],
    way: { iban: "DE1", pin: "0000" },
    login: { password: "x", hint: "y" },
    keys: { first: { label: "a", secret: "b" } },
    places: { x: 1, code: "z" },
    other: { number: 7 },
  });
  const whole = {
    id: 1,
    name: "Ada",
    card: kept,
    cards: [kept, kept],
    way: { iban: "DE1" },
    login: { hint: "y" },
    keys: { first: { label: "a" } },
    places: { x: 1 },
    other: { number: 7 },
  };
  t.strictSame(created.body, whole, "what the document declares nowhere is kept");
  t.strictSame((await send("GET", "/payers/1")).body, whole);
});

testLikely("a change does not keep what only a request declares", document, async (t, send) => {
  await send("POST", "/payers", { name: "Ada", card: { brand: "visa" } });
  const changes: [string, object, string?][] = [
    ["PATCH", { card }],
    ["PATCH", { card }, "application/merge-patch+json"],
    ["PATCH", [{ op: "add", path: "/card", value: card }], "application/json-patch+json"],
    ["PUT", { name: "Ada", card }],
  ];
  for (const [method, body, type] of changes)
    t.strictSame(
      (await send(method, "/payers/1", body, type)).body,
      { id: 1, name: "Ada", card: kept },
      `${method} ${type}`,
    );
  t.strictSame((await send("PUT", "/payers/1/card", { card })).body, { id: 1, name: "Ada", card: kept });
});

t.test("The plan names the first of them", async (t) => {
  const doubt = "Doubt: it takes the property card.number, which the record does not have.";
  t.match(describePlan(planOf(await parseDocument(document))), doubt);
});

const shopsWith = (rest: string, level = "{ type: integer }") =>
  documentOf(
    `  /shops:
    post: { operationId: addShop, requestBody: { required: true, ${json("NewShop")} }, responses: { 201: { description: x, ${json("CreatedShop")} } } }
  /shops/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getShop, responses: { 200: { description: x, ${json("Shop")} } } }
`,
    `components:
  schemas:
    NewShop: ${object(`name: ${text}, plan: ${text}, level: ${level}, pin: ${text}`)}
    CreatedShop: ${object(`id: { type: integer }, name: ${text}, plan: ${text}, level: { type: integer }`, `, required: [id]${rest}`)}
    Shop: ${object(`id: { type: integer }, name: ${text}`, `, required: [id]${rest}`)}
`,
  );
const shop = { name: "A", plan: "gold", level: 3, pin: "0000" };

testLikely("a record keeps what the response of its creation declares", shopsWith(""), async (t, send) => {
  const created = { id: 1, name: "A", plan: "gold", level: 3 };
  t.match(await send("POST", "/shops", shop), { status: 201 });
  t.strictSame((await send("POST", "/shops", shop)).body, { ...created, id: 2 });
  t.strictSame((await send("GET", "/shops/1")).body, created);
});

testLikely(
  "what a closed record can't have is in the response of its creation, if only that declares it",
  shopsWith(", additionalProperties: false", "{ type: [integer, string] }"),
  async (t, send) => {
    t.strictSame((await send("POST", "/shops", shop)).body, { id: 1, name: "A", plan: "gold", level: 3 });
    t.strictSame((await send("GET", "/shops/1")).body, { id: 1, name: "A" });
    const other = await send("POST", "/shops", { ...shop, level: "high" });
    t.match(other, { status: 201 });
    t.strictSame(other.body, { id: 2, name: "A", plan: "gold" }, "without a value that it can't have");
  },
);
