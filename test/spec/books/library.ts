// An application of the spec-first server: a library of books in memory. It imports only from lib, http and spec.
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import {
  clientErrors,
  connections,
  createFail,
  createFastify,
  errorHandler,
  gracefulShutdown,
  HttpError,
  httpErrors,
  jsonBody,
  loadShedding,
  memoryMonitor,
  pipelining,
  requestChecks,
  responseHeaders,
} from "../../../src/http/index.ts";
import {
  checkSignatures,
  errorFields,
  type Handlers,
  parseDocument,
  routes,
  type SecuritySchemes,
  type Signatures,
} from "../../../src/spec/index.ts";
import type { Book, operations } from "./operations.ts";

/** Who may change books. */
export type Caller = "librarian" | "terminal";

interface Context {
  readonly books: Map<bigint, Book>;
  /** The URL of the operation's path. */
  readonly url: string;
}

/** The types of the library. */
export interface Library {
  readonly operations: operations;
  readonly context: Context;
  readonly caller: Caller;
}

const fail = createFail({ ...httpErrors, book_not_found: 404, title_taken: 409 });
const notFound = (id: bigint) => fail("book_not_found", `No book has the id ${id}.`);
const titleTaken = (title: string) => fail("title_taken", `Another book has the title ${title}.`);
const findTitle = ({ books }: Context, title: string) => [...books.values()].find((book) => book.title === title);

const firstId = 9_007_199_254_740_993n; // not representable as a double

export const handlers: Handlers<Library> = {
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

const newBook = { title: "string", author: "string", copies: "integer" } as const;
const book = { id: "int64", ...newBook } as const;
const path = { bookId: "int64" } as const;

export const signatures = {
  listBooks: { query: { author: "string?", limit: "integer" }, responses: { 200: [book] } },
  addBook: { body: newBook, responses: { 201: book, 409: errorFields }, responseHeaders: ["Location"] },
  getBook: { path, responses: { 200: book, 404: errorFields } },
  replaceBook: { path, body: newBook, responses: { 200: book, 404: errorFields, 409: errorFields } },
  removeBook: { path, responses: { 204: "none", 404: errorFields } },
} as const satisfies Signatures<Library>;

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
  checkSignatures(document.operations, signatures);
  const logger = pino({ level: "silent" });
  const headers = { "x-content-type-options": "nosniff" };
  const books = new Map<bigint, Book>();

  const app = createFastify({ logger });
  await app.register(memoryMonitor);
  await app.register(connections, { max: 100 });
  await app.register(pipelining);
  await app.register(loadShedding, { identify: async () => undefined, onReject: () => {} });
  await app.register(clientErrors, { log: logger, headers, onResponse: () => {} });
  await app.register(responseHeaders, { headers });
  await app.register(gracefulShutdown);
  await app.register(errorHandler, { isLogged: () => true });
  await app.register(requestChecks);
  await app.register(jsonBody);
  await app.register(routes<Library>, {
    document,
    handlers,
    context: ({ path }) => ({ books, url: document.basePath + path }),
    security,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}${document.basePath}` };
}
