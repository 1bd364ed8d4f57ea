// A library of books in memory: an application of the spec-first server, whose contract is library.yaml. Start it with
// `node examples/library/library.ts`.
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { createFail, createServer, type Handlers } from "../../src/index.ts";
import { type components, type operations, types } from "./operations.ts";

type Book = components["schemas"]["Book"];

/** Who may change books. */
export type Caller = "librarian" | "terminal";

interface Context {
  readonly books: Map<bigint, Book>;
}

const fail = createFail({ book_not_found: 404, title_taken: 409 });
const notFound = (id: bigint) => fail("book_not_found", `No book has the id ${id}.`);
const titleTaken = (title: string) => fail("title_taken", `Another book has the title ${title}.`);
const findTitle = ({ books }: Context, title: string) => [...books.values()].find((book) => book.title === title);

const firstId = 9_007_199_254_740_993n; // not representable as a double

const handlers: Handlers<operations, Context, Caller> = {
  listBooks: async ({ query: { author, limit } }, { books }) => {
    const found = [...books.values()].filter((book) => author === undefined || book.author === author);
    return { status: 200, body: found.slice(0, limit) };
  },
  addBook: async ({ body }, context) => {
    if (findTitle(context, body.title)) return titleTaken(body.title);
    const book = { id: firstId + BigInt(context.books.size), ...body };
    context.books.set(book.id, book);
    return { status: 201, body: book, headers: { Location: `/city-library/v2/books/${book.id}` } };
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

/** Creates the library. `document` replaces its contract, for tests. */
export function createLibrary(
  document: URL | object = new URL("library.yaml", import.meta.url),
): Promise<FastifyInstance> {
  return createServer<operations, Context, Caller>({
    document,
    types,
    handlers,
    context: { books: new Map() },
    security: {
      librarian: async (token) => (token === "shelf" ? "librarian" : undefined),
      terminal: async (key) => (key === "hall" ? "terminal" : undefined),
    },
    logger: pino({ level: "warn" }),
  });
}

if (import.meta.main) console.log(`The library is at ${await (await createLibrary()).listen({ port: 3_000 })}/docs.`);
