// All invalid parts of a request: each is reported in `details`, up to a bound.
import t from "tap";
import { documentOf, serve } from "../support/document-server.ts";

const schemas = `components:
  schemas:
    Owner:
      type: object
      required: [name]
      properties: { name: { type: string, minLength: 1 }, age: { type: integer, maximum: 150 } }
    Base: { type: object, required: [id, secret], properties: { id: { type: integer, readOnly: true }, secret: { type: string } } }
    Book:
      allOf: [{ $ref: "#/components/schemas/Base" }]
      type: object
      required: [title, pages]
      properties:
        title: { type: string }
        pages: { type: integer }
        owner: { $ref: "#/components/schemas/Owner" }
        tags: { type: array, items: { type: string, maxLength: 3 } }
        either: { oneOf: [{ type: integer }, { type: boolean }] }
    Closed: { type: object, additionalProperties: false, properties: { a: { type: integer } }, patternProperties: { "^x-": {} } }
    Wide: { type: object, additionalProperties: false, properties: ${JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a-long-name-${n}`, {}])))} }
    Many: { type: object, additionalProperties: { type: integer }, maxProperties: 500, properties: ${JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, { type: "integer" }])))} }
`;
const body = (name: string) =>
  `requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } }`;
const paths = `  /books/{shelf}:
    post:
      operationId: addBook
      parameters:
        - { name: shelf, in: path, required: true, schema: { type: integer } }
        - { name: limit, in: query, required: true, schema: { type: integer, maximum: 9 } }
        - { name: sort, in: query, schema: { enum: [up, down] } }
        - { name: X-Count, in: header, schema: { type: integer } }
        - { name: token, in: cookie, required: true, schema: { type: string } }
      ${body("Book")}
      responses: { 204: { description: x } }
  /closed: { post: { operationId: close, ${body("Closed")}, responses: { 204: { description: x } } } }
  /wide: { post: { operationId: wide, ${body("Wide")}, responses: { 204: { description: x } } } }
  /many: { post: { operationId: many, ${body("Many")}, responses: { 204: { description: x } } } }
`;
const { send } = await serve(documentOf(paths, schemas));

type Failure = { code: string; message: string; details: { location: string; name: string; message: string }[] };
const post = async (url: string, value: unknown, headers = {}) => {
  const payload = JSON.stringify(value);
  const response = await send("POST", url, { payload, headers: { "content-type": "application/json", ...headers } });
  return { status: response.status, ...(response.body as Failure) };
};
const places = ({ details }: Failure) => details.map(({ location, name }) => `${location} ${name}`);

t.test("Names the invalid parts of a request in all places", async (t) => {
  const valid = { secret: "s", title: "t", pages: 1 };
  t.equal((await post("/books/1?limit=1", valid, { cookie: "token=x" })).status, 204);
  const failure = await post(
    "/books/one?limit=10&sort=left&other=1",
    { title: 5, owner: { age: 200 }, tags: ["ok", "long", 7], either: "x" },
    { "x-count": "many" },
  );
  t.equal(failure.code, "invalid_parameter", "the code is that of the first part");
  t.same(places(failure), [
    "path shelf",
    "body pages",
    "body title",
    "body owner.name",
    "body owner.age",
    "body tags.1",
    "body tags.2",
    "body either",
    "body secret",
    "query other",
  ]);
  t.equal(failure.message, failure.details.map(({ message }) => message).join(" "));
  t.match(failure.details, [
    { message: "The path parameter 'shelf' must be an integer, in plain decimal digits." },
    { message: "The body must have the field 'pages'." },
    { message: "The field 'title' must be a string." },
    { message: "The field 'owner' must have the field 'name'." },
    { message: "The field 'owner.age' must be at most 150." },
    { message: "The field 'tags.1' must have at most 3 characters." },
  ]);
});

t.test("Names all invalid parameters, also of headers and cookies", async (t) => {
  const valid = { secret: "s", title: "t", pages: 1 };
  const query = await post("/books/1?limit=10&sort=left&other=1&more=2", valid, { "x-count": "many" });
  t.same(places(query), ["query other", "query more", "query limit", "query sort", "header X-Count", "cookie token"]);
  t.same(places(await post("/books/1", valid, {})), ["query limit", "cookie token"]);
  t.same(places(await post("/books/1?limit=1", valid, {})), ["cookie token"]);
  t.same(places(await post("/books/1?limit=x&limit=2", {}, { cookie: "token=x" })), [
    "body title",
    "body pages",
    "body secret",
    "query limit",
  ]);
});

t.test("Names unknown fields, and values that are no objects", async (t) => {
  const failure = await post("/closed", { a: "x", b: 1, "x-c": 2, d: 3 });
  t.same(places(failure), ["body a", "body b", "body d"]);
  t.match(failure, { code: "invalid_body", message: /unknown field 'd'\. Known fields: a\.$/ });
  t.same(places(await post("/closed", 5)), ["body "]);
  t.match(await post("/closed", [1]), { message: "The body must be an object." });
});

t.test("Names at most 10 invalid parts, and bounds the time and the length of the message", async (t) => {
  const many = await post("/many", Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`p${n}`, "x"])));
  t.equal(many.details.length, 10);
  const late = { ...Object.fromEntries(Array.from({ length: 299 }, (_, n) => [`p${n}`, n])), p299: "x" };
  t.same(places(await post("/many", late)), ["body p299"], "the first invalid part is always named");
  const long = await post("/closed", Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}`.repeat(400), 1])));
  t.equal(long.details.length, 10);
  const wide = await post("/wide", { a: 1, b: 2, c: 3, d: 4 });
  t.same(places(wide), ["body a", "body b", "body c", "body d"]);
  t.notMatch(wide.message, /'c'/, "the message ends before");
  t.match(wide.message, /'a'/);
  t.ok(long.message.length <= 1_500);
  t.ok(long.details.every(({ name, message }) => name.length <= 300 && message.length <= 2_000));
});
