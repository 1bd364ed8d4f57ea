// The types of library.yaml, in the shape that openapi-typescript generates. Parameters and fields with a default are
// required, because the server fills them in.

/** A book to add. */
export interface NewBook {
  title: string;
  author: string;
  copies: number;
}

/** A book of the library. */
export interface Book extends NewBook {
  /** Format: int64 */
  id: bigint;
}

interface Failure {
  headers: { [name: string]: unknown };
  content: { "application/json": { code: string; message: string; status: number } };
}

interface Found<Body> {
  headers: { [name: string]: unknown };
  content: { "application/json": Body };
}

interface BookParameters {
  query?: never;
  header?: never;
  path: { bookId: bigint };
  cookie?: never;
}

/** The operations of the document. */
export interface operations {
  listBooks: {
    parameters: { query: { author?: string; limit: number }; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: { 200: Found<Book[]>; default: Failure };
  };
  addBook: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { "application/json": NewBook } };
    responses: {
      201: { headers: { Location?: string; [name: string]: unknown }; content: { "application/json": Book } };
      409: Failure;
      default: Failure;
    };
  };
  getBook: {
    parameters: BookParameters;
    requestBody?: never;
    responses: { 200: Found<Book>; 404: Failure; default: Failure };
  };
  replaceBook: {
    parameters: BookParameters;
    requestBody: { content: { "application/json": NewBook } };
    responses: { 200: Found<Book>; 404: Failure; 409: Failure; default: Failure };
  };
  removeBook: {
    parameters: BookParameters;
    requestBody?: never;
    responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 404: Failure; default: Failure };
  };
}
