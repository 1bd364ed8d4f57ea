// Crafts SQLite files that no SQLite writes. https://www.sqlite.org/fileformat.html describes the pages.
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const pageSize = 4_096;
const interior = 5; // the types of the pages of a table
const leaf = 13;
const depth = 15;
const fanOut = 100;

/**
 * Makes a scan of a table endless: below its root are 15 levels of pages, and each page refers 100 times to the next
 * one. The last page repeats a row. The table must have a single page.
 */
export function makeEndless(file: string, table: "pets" | "tags" | "sqlite_schema"): void {
  const { root, row } = readRoot(file, table);
  const bytes = readFileSync(file);
  const header = root === 1 ? 100 : 0; // the first page begins with the header of the file
  const rootPage = bytes.subarray((root - 1) * pageSize, root * pageSize);
  if (rootPage[header] !== leaf) throw new Error(`${table} has more than one page`);
  const count = rootPage.readUInt16BE(header + 3);
  const original = Buffer.from(rootPage);
  rootPage.copy(original, 0, header, header + 8 + 2 * count);
  const repeated = Buffer.from(original);
  repeated.writeUInt16BE(1, 3);
  original.copy(repeated, 8, 8 + 2 * row, 8 + 2 * row + 2);

  const first = bytes.length / pageSize + 1; // the number of the first new page
  const levels = Array.from({ length: depth }, (_, level) => {
    const page = Buffer.alloc(pageSize);
    writeInterior(page, 0, Array(fanOut).fill(first + level + 2));
    return page;
  });
  writeInterior(rootPage, header, [first, first + 1]);
  const crafted = Buffer.concat([bytes, original, ...levels, repeated]);
  crafted.writeUInt32BE(crafted.length / pageSize, 28);
  writeFileSync(file, crafted);
}

/** Writes the header and the cells of an interior page at `offset`. The last child has no key. */
function writeInterior(page: Buffer, offset: number, children: readonly number[]): void {
  const cells = children.slice(0, -1);
  const start = page.length - cells.length * 5;
  page[offset] = interior;
  page.writeUInt16BE(cells.length, offset + 3);
  page.writeUInt16BE(start, offset + 5);
  page.writeUInt32BE(children.at(-1) as number, offset + 8);
  for (const [index, child] of cells.entries()) {
    page.writeUInt16BE(start + index * 5, offset + 12 + index * 2);
    page.writeUInt32BE(child, start + index * 5);
    page[start + index * 5 + 4] = 100; // the key
  }
}

// Returns the root page of a table, and the index of a row that it can contain several times: the schema can describe an
// index without SQL more than once.
function readRoot(file: string, table: string): { root: number; row: number } {
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA journal_mode = DELETE");
    const schema = db.prepare("SELECT name, rootpage, sql FROM sqlite_schema ORDER BY rowid").all();
    if (table === "sqlite_schema") return { root: 1, row: schema.findIndex(({ sql }) => sql === null) };
    return { root: Number(schema.find(({ name }) => name === table)?.rootpage), row: 0 };
  } finally {
    db.close();
  }
}
