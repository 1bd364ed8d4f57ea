// The lifecycles of documents, over HTTP, with a `kill -9` in between: by a harness that shares no code with the server, and that
// finds faults that are put in.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { folder, root } from "../support/files.ts";
import { describeResults, findLifecycles, RawDocument, runLifecycles } from "../support/lifecycles/index.ts";
import { Serving } from "../support/serving.ts";

const documents = {
  "the library": "examples/library/library.yaml",
  "the train travel": "node_modules/@readme/oas-examples/3.1/json/train-travel.json",
  "a document like Kubernetes'": "test/support/lifecycles/cluster.yaml",
  "a document like Stripe's": "test/support/lifecycles/payments.yaml",
};

for (const [name, file] of Object.entries(documents))
  for (const [store, newPlace] of [
    ["SQLite", async (t: Test) => join(folder(t), "records.db")],
    ["PostgreSQL", emptyDatabase],
  ] as const)
    t.test(`${store}: each lifecycle of ${name} is complete`, { timeout: 120_000 }, async (t) => {
      const path = join(root, file);
      const document = RawDocument.read(path);
      const lifecycles = findLifecycles(document);
      const serving = new Serving(t, path, await newPlace(t));
      const start = () => serving.start();
      const restart = async () => {
        await serving.kill();
        return start();
      };
      const results = await runLifecycles(document, lifecycles, await start(), { restart });
      t.ok(results.length > 0);
      t.equal(describeResults(results), `${results.length} of ${results.length} lifecycles`);
      await serving.kill();
    });

type Book = Record<string, unknown>;

/** What a server of books does wrong. */
interface Fault {
  readonly name: string;
  readonly message: RegExp;
  readonly respond: (
    books: Map<string, Book>,
    method: string,
    id: string,
  ) => { status: number; body?: unknown } | undefined;
  readonly change?: (book: Book) => Book;
  readonly forgets?: boolean;
}

const nothing = () => undefined;
const faults: readonly Fault[] = [
  { name: "forgets its records in a restart", message: /GET .* responds with 404/, respond: nothing, forgets: true },
  {
    name: "changes a member",
    message: /title is/,
    respond: nothing,
    change: (book) => ({ ...book, title: `${book.title}`.toUpperCase() }),
  },
  {
    name: "returns what the document does not allow",
    message: /pages must be integer/,
    respond: nothing,
    change: (book) => ({ ...book, pages: "many" }),
  },
  {
    name: "lists nothing",
    message: /the list does not have/,
    respond: (_, method, id) => (method === "GET" && id === "" ? { status: 200, body: [] } : undefined),
  },
  {
    name: "changes nothing",
    message: /title is/,
    respond: (books, method, id) => (method === "PATCH" ? { status: 200, body: books.get(id) } : undefined),
  },
  {
    name: "drops a member",
    message: /note is missing/,
    respond: nothing,
    change: ({ note: _, ...book }) => book,
  },
  {
    name: "lists another record with the number of the id",
    message: /the list does not have/,
    respond: (_, method, id) =>
      method === "GET" && id === "" ? { status: 200, body: [{ id: "7", title: "x", pages: 1 }] } : undefined,
  },
  {
    name: "responds with an undeclared success",
    message: /has an undeclared status/,
    respond: (_, method) => (method === "POST" ? { status: 299, body: {} } : undefined),
  },
  {
    name: "deletes nothing",
    message: /after the deletion, GET responds with 200/,
    respond: (_, method) => (method === "DELETE" ? { status: 204 } : undefined),
  },
  {
    name: "gives each record the same id",
    message: /a second record has the same id/,
    respond: (_, method) =>
      method === "POST" ? { status: 201, body: { id: "1", title: "text 1", note: "text 1" } } : undefined,
  },
  {
    name: "creates nothing",
    message: /the new record is not found/,
    respond: (_, method) => (method === "POST" ? { status: 201, body: { id: "none", title: "x" } } : undefined),
  },
  {
    name: "responds with an undeclared failure",
    message: /POST \/books responds with 500/,
    respond: (_, method) => (method === "POST" ? { status: 500, body: {} } : undefined),
  },
];

const schema = {
  type: "object",
  required: ["id", "title"],
  properties: {
    id: { type: "string", readOnly: true },
    title: { type: "string" },
    note: { type: "string" },
    pages: { type: "integer" },
  },
};
const content = (value: object) => ({ "application/json": { schema: value } });
const responses = (value: object, status = "200") => ({ [status]: { description: "x", content: content(value) } });
const requestBody = { required: true, content: content(schema) };
const booksDocument = new RawDocument({
  openapi: "3.1.0",
  paths: {
    "/books": {
      get: { responses: responses({ type: "array", items: schema }) },
      post: { requestBody, responses: responses(schema, "201") },
    },
    "/books/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { responses: responses(schema) },
      patch: { requestBody, responses: responses(schema) },
      delete: { responses: { 204: { description: "x" } } },
    },
  },
});

/** Serves books from a map, with a fault. */
async function serveBooks(
  t: Test,
  { respond, change = (book) => book, forgets = false }: Omit<Fault, "name" | "message">,
) {
  const books = new Map<string, Book>();
  const answer = async (request: IncomingMessage) => {
    const { method = "", url = "" } = request;
    const id = url.slice("/books/".length);
    const sent = JSON.parse((await readText(request)) || "{}") as Book;
    const wrong = respond(books, method, id);
    if (wrong) {
      if (method === "POST" && wrong.status === 201 && !books.has("1")) books.set("1", wrong.body as Book);
      return wrong;
    }
    if (method === "POST") {
      const book = { ...sent, id: `${books.size + 1}` };
      books.set(book.id, change(book));
      return { status: 201, body: change(book) };
    }
    if (id === "") return { status: 200, body: [...books.values()] };
    const book = books.get(id);
    if (book === undefined) return { status: 404, body: {} };
    if (method === "PATCH") books.set(id, change({ ...book, ...sent, id }));
    if (method === "DELETE") books.delete(id);
    return method === "DELETE" ? { status: 204 } : { status: 200, body: books.get(id) };
  };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = await answer(request);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const restart = async () => {
    if (forgets) books.clear();
    return url;
  };
  return { url, restart };
}

t.test("The harness finds no fault in a server that has none", async (t) => {
  const { url, restart } = await serveBooks(t, { respond: nothing });
  const results = await runLifecycles(booksDocument, findLifecycles(booksDocument), url, { restart });
  t.equal(describeResults(results), "1 of 1 lifecycles");
});

for (const fault of faults)
  t.test(`The harness finds a server that ${fault.name}`, async (t) => {
    const { url, restart } = await serveBooks(t, fault);
    const [result] = await runLifecycles(booksDocument, findLifecycles(booksDocument), url, { restart });
    t.match(result?.faults.join(), fault.message);
  });
