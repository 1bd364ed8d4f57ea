// A document with records below records, which clients create, patch and delete: notes of books of shelves.
import { documentOf } from "../document-server.ts";

const json = (schema: string, type = "application/json") => `${type}: { schema: ${schema} }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const parameter = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`;
const header = (name: string) => `{ name: ${name}, in: header, schema: { type: string } }`;
const operations = "{ type: array, items: { type: object, required: [op, path] } }";
const members =
  "mark: { type: string }, note: { type: string }, count: { type: integer }, log: { type: array, items: { type: string } }";

const schema = (name: string, id: string, required = "mark") =>
  `${name}: { type: object, required: [${required}, note, count, log], properties: { ${id}, ${members} } }`;

// A collection, and its records.
function collectionOf(name: string, path: string, id: string, above: readonly string[] = []): string {
  const patches = `${json(`{ type: object, properties: { ${members} } }`, "application/merge-patch+json")}, ${json(operations, "application/json-patch+json")}`;
  const found = `200: { description: x, headers: { ETag: { schema: { type: string } } }, content: { ${json(ref(name))} } }`;
  return `  ${path}:
    parameters: [${above.map(parameter)}]
    get: { operationId: list${name}s, responses: { 200: { description: x, content: { ${json(`{ type: array, items: ${ref(name)} }`)} } } } }
    post:
      operationId: create${name}
      parameters: [${above.length > 0 ? header("Idempotency-Key") : ""}]
      requestBody: { required: true, content: { ${json(ref(name))} } }
      responses: { 201: { description: x, content: { ${json(ref(name))} } }, 409: { description: x } }
  ${path}/{${id}}:
    parameters: [${[...above, id].map(parameter)}]
    get: { operationId: get${name}, responses: { ${found}, 304: { description: x } } }
    patch:
      operationId: change${name}
      parameters: [${header("If-Match")}]
      requestBody: { required: true, content: { ${patches} } }
      responses: { ${found}, 409: { description: x }, 412: { description: x } }
    delete: { operationId: delete${name}, responses: { 204: { description: x } } }
`;
}

/** The text of the document. Clients choose the names of shelves; the server makes the ids of books and notes. */
export const historyDocument = documentOf(
  collectionOf("Shelf", "/shelves", "name") +
    collectionOf("Book", "/shelves/{name}/books", "bookId", ["name"]) +
    collectionOf("Note", "/shelves/{name}/books/{bookId}/notes", "noteId", ["name", "bookId"]),
  `components:
  schemas:
    ${schema("Shelf", "name: { type: string }", "name, mark")}
    ${schema("Book", "id: { type: integer, format: int64, readOnly: true }")}
    ${schema("Note", "id: { type: integer, format: int64, readOnly: true }")}
`,
);
