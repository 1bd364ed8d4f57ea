// Things whose collection has an index, and a comparison of its pages with all records.
import { DatabaseSync } from "node:sqlite";
import { query } from "./postgres.ts";
import { until } from "./wait.ts";

const thing = '{ $ref: "#/components/schemas/Thing" }';
const json = (schema: string) => `description: x, content: { application/json: { schema: ${schema} } }`;

/** A document whose things are listed by key or, with an index, by price. */
export const indexedThings = `openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 70 } }
        - { name: cursor, in: query, schema: { type: string } }
        - { name: sort, in: query, schema: { type: string } }
      responses: { 200: { ${json(`{ type: array, items: ${thing} }`)} } }
    post:
      operationId: addThing
      requestBody: { required: true, content: { application/json: { schema: ${thing} } } }
      responses: { 201: { ${json(thing)} } }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    x-resource: { index: [price] }
    get: { operationId: getThing, responses: { 200: { ${json(thing)} } } }
    put:
      operationId: putThing
      requestBody: { required: true, content: { application/json: { schema: ${thing} } } }
      responses: { 200: { ${json(thing)} } }
    delete: { operationId: deleteThing, responses: { 204: { description: x } } }
components:
  schemas:
    Thing: { type: object, required: [price], properties: { id: { type: integer, readOnly: true }, price: { type: number } } }
`;

interface Thing {
  readonly id: number;
  readonly price: number;
}

async function readAll(url: string, sort = ""): Promise<Thing[]> {
  const things: Thing[] = [];
  for (let next: string | undefined = `/things?sort=${sort}`; next; ) {
    const response = await fetch(new URL(next, url));
    if (response.status !== 200) throw new Error(await response.text());
    things.push(...((await response.json()) as Thing[]));
    next = /<([^>]*)>; rel="next"/.exec(`${response.headers.get("link")}`)?.[1];
  }
  return things;
}

/** Returns the things of a server as its pages by key, by price and by descending price have them, and as they should be. */
export async function readThings(url: string) {
  const things = await readAll(url, "id");
  const sorted = things.toSorted((a, b) => a.price - b.price || a.id - b.id);
  const [ascending, descending] = [await readAll(url, "price"), await readAll(url, "-price")];
  return { things, found: { ascending, descending }, wanted: { ascending: sorted, descending: sorted.toReversed() } };
}

/** Waits until the index of a store has all records: pages are then read from it alone. */
export async function untilIndexed(data: string): Promise<void> {
  const text = (prefix: string) =>
    `SELECT 1 FROM ${prefix}record_indexes WHERE complete = 1 AND NOT EXISTS (SELECT 1 FROM ${prefix}index_changes)`;
  const run = async () => {
    if (data.startsWith("postgres:")) return query(data, text("things."));
    using db = new DatabaseSync(data, { readOnly: true, timeout: 5_000 });
    return db.prepare(text("")).all();
  };
  await until(async () => (await run()).length > 0, "the index is not complete");
}
