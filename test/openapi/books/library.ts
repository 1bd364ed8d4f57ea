// An application of the spec-first server: a library of books in memory. It imports only from http and openapi.
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { createEdge, createFail, HttpError, httpErrors } from "../../../src/http/index.ts";
import { type Handlers, parseDocument, routes, type SecuritySchemes } from "../../../src/openapi/index.ts";
import type { components, operations } from "./operations.ts";

type Book = components["schemas"]["Book"];

/** Who may change books. */
export type Caller = "librarian" | "terminal";

interface Context {
  readonly books: Map<bigint, Book>;
  /** The URL of the operation's path. */
  readonly url: string;
}

const fail = createFail({ ...httpErrors, book_not_found: 404, title_taken: 409 });
const notFound = (id: bigint) => fail("book_not_found", `No book has the id ${id}.`);
const titleTaken = (title: string) => fail("title_taken", `Another book has the title ${title}.`);
const findTitle = ({ books }: Context, title: string) => [...books.values()].find((book) => book.title === title);

const firstId = 9_007_199_254_740_993n; // not representable as a double

export const handlers: Handlers<operations, Context, Caller> = {
  listBooks: async ({ query: { author, limit } }, { books }) => {
    const found = [...books.values()].filter((book) => author === undefined || book.author === author);
    return { status: 200, body: found.slice(0, limit) };
  },
  addBook: async ({ body }, context) => {
    if (findTitle(context, body.title)) return titleTaken(body.title);
    const book = { id: firstId + BigInt(context.books.size), ...body };
    context.books.set(book.id, book);
    return { status: 201, body: book, headers: { Location: `${context.url}/${book.id}` } };
  },
  getBook: async ({ params: { bookId } }, { books }) => {
    const book = books.get(bookId);
    return book ? { status: 200, body: book } : notFound(bookId);
  },
  replaceBook: async ({ params: { bookId }, body }, context) => {
    if (!context.books.has(bookId)) return notFound(bookId);
    const other = findTitle(context, body.title);
    if (other && other.id !== bookId) return titleTaken(body.title);
    const book = { id: bookId, ...body };
    context.books.set(bookId, book);
    return { status: 200, body: book };
  },
  removeBook: async ({ params: { bookId } }, { books }) => (books.delete(bookId) ? { status: 204 } : notFound(bookId)),
};

const security: SecuritySchemes<Caller> = {
  librarian: {
    type: "http bearer",
    authenticate: async ({ headers }) =>
      headers.authorization === "Bearer shelf"
        ? "librarian"
        : new HttpError("unauthorized", "Only a librarian may do this.", { "www-authenticate": "Bearer" }),
  },
  terminal: {
    type: "apikey header x-terminal",
    authenticate: async ({ headers }) =>
      headers["x-terminal"] === "hall"
        ? "terminal"
        : new HttpError("unauthorized", "Only a terminal may do this.", { "www-authenticate": "Bearer" }),
  },
};

/** The text of library.yaml. */
export const libraryText = readFileSync(new URL("library.yaml", import.meta.url), "utf8");

/** Starts the library on a free port of loopback. Returns the URL of the API. */
export async function startLibrary(text = libraryText): Promise<{ app: FastifyInstance; url: string }> {
  const document = await parseDocument(text);
  const books = new Map<bigint, Book>();

  const headers = { "x-content-type-options": "nosniff" };
  const app = await createEdge({ logger: pino({ level: "silent" }), headers });
  await app.register(routes<operations, Context, Caller>, {
    document,
    handlers,
    context: ({ path }) => ({ books, url: document.basePath + path }),
    security,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}${document.basePath}` };
}
