// Values that an application reads by itself: objects, and the items of a body of JSON lines.
import { Readable } from "node:stream";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, createValidator, readItems } from "../../../src/index.ts";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { documentOf } from "../../support/document-server.ts";

const text = documentOf(
  `  /books:
    post:
      operationId: importBooks
      requestBody: { required: true, content: { application/x-ndjson: { schema: { $ref: "#/components/schemas/Book" } } } }
      responses:
        200: { description: x, content: { application/json: { schema: { type: array } } } }
        400: { description: x, content: { application/json: { schema: {} } } }
`,
  `components:
  schemas:
    Id: { type: integer, format: int64 }
    Book:
      type: object
      required: [id, title]
      properties:
        id: { allOf: [{ $ref: "#/components/schemas/Id" }], readOnly: true }
        title: { type: string, maxLength: 5 }
        pages: { type: integer, default: 1 }
        authors: { type: array, items: { type: object, properties: { name: { type: string } } } }
    Short: { $ref: "#/components/schemas/Book", maxProperties: 2 }
`,
);
type Book = { id: bigint; title: string };
type Schemas = { Book: Book; "Book (request)": Omit<Book, "id"> & { pages: number }; Short: Book };

t.test("A validator returns the value with int64 as bigint, or each problem with its path", async (t) => {
  const validate = await createValidator<Schemas>(parse(text));
  const { value } = validate("Book", { id: 7, title: "Emma" });
  const id: bigint | undefined = value?.id;
  t.same(value, { id: 7n, title: "Emma" });
  t.equal(id, 7n);
  t.same(validate("Book", { id: 9_007_199_254_740_993n, title: "Emma" }).value?.id, 9_007_199_254_740_993n);
  const wrong = { id: "7", title: "Emma again", authors: [{ name: "George" }, { name: 1 }] };
  t.match(validate("Book", wrong).problems, [
    { path: "id", requirement: "must be an integer" },
    { path: "title", requirement: "must have at most 5 characters" },
    { path: "authors.1.name", requirement: "must be a string" },
  ]);
  t.match(validate("Book", null).problems, [{ path: "", requirement: "must be an object" }]);
  t.match(validate("Short", { id: 1, title: "a", pages: 2 }).problems, { length: 1 }, "beside a reference");
});

t.test("With the suffix of the types, a validator has the rules of requests", async (t) => {
  const validate = await createValidator<Schemas>(await parseDocument(text));
  t.same(validate("Book (request)", { title: "Emma" }).value, { title: "Emma", pages: 1 });
  t.match(validate("Book (request)", { id: 1, title: "Emma" }).problems, [{ path: "id", requirement: /read-only/ }]);
  t.throws(() => validate("Books" as "Book", {}), { message: "The document has no schema Books. Did you mean Book?" });
  t.throws(() => validate("toString" as "Book", {}), { message: "The document has no schema toString." });
});

t.test(
  "readItems yields the lines of a body, however it is split, and names the first one that is wrong",
  async (t) => {
    const validate = await createValidator<Schemas>(parse(text));
    const read = (body: string, size = 1) => {
      const bytes = Buffer.from(body);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      return Array.fromAsync(readItems(Readable.from(chunks), (item) => validate("Book", item)));
    };
    const lines = '{"id":9007199254740993,"title":"Bü"}\r\n\n{"id":2,"title":"a\u2028b"}';
    for (const size of [1, 7, 100])
      t.same(await read(lines, size), [
        { id: 9_007_199_254_740_993n, title: "Bü" },
        { id: 2n, title: "a\u2028b" },
      ]);
    for (const [body, message] of [
      ['{"id":1,"title":"a"}\n\n{"id":1}', "Line 3: The item must have the field 'title'."],
      [
        '{"id":1,"title":"a"}\n{"id":"x","title":1}',
        /^Line 2: The field 'id' must be an integer .+ Line 2: The field 'title' must be a string\.$/,
      ],
      ["[", /^Line 1: The item is not valid JSON/],
    ] as const)
      await t.rejects(read(body), { message, response: { status: 400, body: { code: "invalid_body" } } });
  },
);

t.test("A handler reads the items of its body, and the client is told which line is wrong", async (t) => {
  const validate = await createValidator<Schemas>(parse(text));
  const importBooks = async ({ body }: { body: unknown }) => {
    const books = await Array.fromAsync(readItems(body as Readable, (item) => validate("Book (request)", item)));
    return { status: 200, body: books.map(({ title }) => title) };
  };
  const app = await createServer({
    document: parse(text),
    handlers: { importBooks } as never,
    logger: pino({ level: "silent" }),
  });
  t.teardown(() => app.close());
  const url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/books`;
  const send = (body: string) =>
    fetch(url, { method: "POST", body, headers: { "Content-Type": "application/x-ndjson" } });
  t.same(await (await send('{"title":"Emma"}\n{"title":"Alice"}\n')).json(), ["Emma", "Alice"]);
  const many = '{"title":"Emma"}\n'.repeat(50_000);
  const response = await send(`{"title":1}\n${many}`);
  t.match([response.status, await response.json()], [400, { message: "Line 1: The field 'title' must be a string." }]);
  t.match((await send(many.repeat(2))).status, 413, "the limit of the body is that of the stream");
});
