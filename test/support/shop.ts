// A document for tests of the page at /records.
import { documentOf } from "./document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const of = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const id = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: integer, format: int64 } }`;
const query = (name: string, schema: string) => `{ name: ${name}, in: query, schema: ${schema} }`;
const body = (name: string) => `requestBody: { required: true, ${json(of(name))} }`;
const success = (schema: string) =>
  `{ description: x, headers: { ETag: { schema: { type: string } } }, ${json(schema)} }`;

/** A shop of books, with what forms can have. */
export const shop = documentOf(
  `  /authors:
    get: { operationId: listAuthors, responses: { 200: ${success(`{ type: array, items: ${of("Author")} }`)} } }
    post: { operationId: addAuthor, ${body("Author")}, responses: { 201: ${success(of("Author"))} } }
  /authors/{authorId}:
    parameters: [${id("authorId")}]
    get: { operationId: getAuthor, responses: { 200: ${success(of("Author"))} } }
  /books:
    get:
      operationId: listBooks
      parameters:
        - ${query("limit", "{ type: integer, maximum: 200, default: 20 }")}
        - ${query("cursor", "{ type: string }")}
        - ${query("sort", "{ type: string }")}
        - ${query("author_id", "{ type: integer, format: int64 }")}
        - ${query("status", of("Status"))}
        - ${query("tag", "{ type: string }")}
      responses: { 200: ${success(`{ type: object, required: [data, total], properties: { data: { type: array, items: ${of("Book")} }, total: { type: integer } } }`)} }
    post: { operationId: addBook, ${body("Book")}, responses: { 201: ${success(of("Book"))} } }
  /books/{bookId}:
    parameters: [${id("bookId")}]
    get: { operationId: getBook, responses: { 200: ${success(of("Book"))} } }
    put:
      operationId: setBook
      parameters: [{ name: If-Match, in: header, schema: { type: string } }]
      ${body("Book")}
      responses: { 200: ${success(of("Book"))} }
    delete: { operationId: removeBook, responses: { 204: { description: x } } }
  /books/{bookId}/reviews:
    parameters: [${id("bookId")}]
    get: { operationId: listReviews, responses: { 200: ${success(`{ type: array, items: ${of("Review")} }`)} } }
    post: { operationId: addReview, ${body("Review")}, responses: { 201: ${success(of("Review"))} } }
  /books/{bookId}/reviews/{reviewId}:
    parameters: [${id("bookId")}, ${id("reviewId")}]
    get: { operationId: getReview, responses: { 200: ${success(of("Review"))} } }
    patch: { operationId: changeReview, ${body("ReviewPatch").replace("/json", "/merge-patch+json")}, responses: { 200: ${success(of("Review"))} } }
  /settings:
    get: { operationId: getSettings, responses: { 200: ${success(of("Settings"))} } }
    put: { operationId: setSettings, ${body("Settings")}, responses: { 200: ${success(of("Settings"))} } }
`,
  `security: [{ key: [] }]
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Status: { type: string, enum: [draft, published, retired] }
    Author: { type: object, required: [name], properties: { id: { type: integer, format: int64, readOnly: true }, name: { type: string, minLength: 1 }, born: { type: string, format: date } } }
    Book:
      type: object
      required: [title, author_id]
      properties:
        id: { type: integer, format: int64, readOnly: true }
        title: { type: string, minLength: 1, maxLength: 60, description: As on the cover. }
        author_id: { type: integer, format: int64 }
        status: { $ref: "#/components/schemas/Status", default: draft }
        price: { type: number, minimum: 0 }
        isbn: { type: integer, format: int64 }
        subtitle: { type: [string, "null"] }
        in_print: { type: boolean }
        tags: { type: array, items: { type: string, minLength: 2 } }
        size: { type: object, required: [height], properties: { height: { type: integer, minimum: 1 }, width: { type: integer } } }
        format:
          oneOf: [{ $ref: "#/components/schemas/Print" }, { $ref: "#/components/schemas/Ebook" }]
          discriminator: { propertyName: kind, mapping: { print: "#/components/schemas/Print", ebook: "#/components/schemas/Ebook" } }
        published_at: { type: string, format: date-time }
        created_at: { type: string, format: date-time, readOnly: true }
    Print: { type: object, required: [kind, pages], properties: { kind: { type: string, const: print }, pages: { type: integer } } }
    Ebook: { type: object, required: [kind], properties: { kind: { type: string, const: ebook }, drm: { type: boolean } } }
    Review: { type: object, required: [text], properties: { id: { type: integer, format: int64, readOnly: true }, text: { type: string, maxLength: 1000 }, stars: { type: integer, minimum: 1, maximum: 5 } } }
    ReviewPatch: { type: object, properties: { text: { type: string }, stars: { type: [integer, "null"] } } }
    Settings: { type: object, properties: { shop_name: { type: string, default: Shop }, is_open: { type: boolean, default: false } } }`,
).replace("title: Test", "title: Book shop");
