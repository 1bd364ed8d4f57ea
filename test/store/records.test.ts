// The JSON of records: what the store writes, and what another program has written otherwise.
import t from "tap";
import { findKeyProblem } from "../../src/store/ids.ts";
import { type ListRow, toPage } from "../../src/store/pages.ts";
import { type Collection, indexName, readId, withoutId, writeMembers, writeRecord } from "../../src/store/records.ts";

const books: Collection = {
  name: "books",
  id: "id",
  idType: "int64",
  properties: ["id", "title", "shelf"],
  filters: [],
};
const max = 2n ** 63n - 1n;

t.test("Writes the id first, and the other members in the order of the document", async (t) => {
  const record = { extra: [1, { a: null }], shelf: max, id: 5n, title: 'a "b"', none: undefined };
  const { text } = writeRecord(books, 7n, writeMembers(books, record));
  t.equal(text, `{"id":7,"title":"a \\"b\\"","shelf":${max},"extra":[1,{"a":null}]}`);
  t.equal(writeRecord(books, max, writeMembers(books, {})).text, `{"id":${max}}`);
});

t.test("Reads and removes the id, wherever it is", async (t) => {
  for (const [text, id, rest] of [
    [`{"id":${max},"title":"a"}`, max, '{"title":"a"}'],
    ['{"id":-5}', -5n, "{}"],
    ['{ "title": "a", "id": 7 }', 7n, '{"title":"a"}'],
    ['{"id" : 7, "shelf" : 9007199254740993}', 7n, '{"shelf":9007199254740993}'],
    ['{"id":7.0}', 7n, "{}"],
  ] as const) {
    t.equal(readId(books, text), id, text);
    t.equal(withoutId(books, text), rest, text);
  }
  for (const text of ["{}", '{"id":"7"}', '{"id":1.5}']) t.throws(() => readId(books, text), /has no id/, text);
});

t.test("Reads and removes an id that is a text, whatever characters it has", async (t) => {
  const shelves: Collection = { ...books, idType: "string" };
  for (const id of ['a"}', "\\", '\\"', "\u2028", "7", ",", "é🐕"]) {
    const { text } = writeRecord(shelves, id, writeMembers(shelves, { id: "other", title: "T" }));
    t.equal(readId(shelves, text), id);
    t.equal(withoutId(shelves, text), '{"title":"T"}');
    t.equal(findKeyProblem(id), undefined);
  }
  for (const id of ["", "x".repeat(501), "a\0", "\ud800"])
    t.match(findKeyProblem(id), /^must have/, JSON.stringify(id));
  t.throws(() => readId(shelves, '{"id":7}'), /has no id/);
  t.match(
    toPage(
      shelves,
      [
        ['{"id":"b"}', 4n],
        ['{"id":"a"}', 5n],
      ],
      { limit: 1 },
    ),
    { records: { text: '[{"id":"b"}]' }, first: 4n, last: 4n, more: true },
    "its number is its position",
  );
});

t.test("A page has as many records as asked for, in order of id", async (t) => {
  const rows = ["3", "4", "5"].map((id): ListRow => [`{"id":${id}}`]);
  t.match(toPage(books, rows, { limit: 2 }), {
    records: { text: '[{"id":3},{"id":4}]' },
    first: 3n,
    last: 4n,
    more: true,
  });
  const backwards = toPage(books, rows.toReversed(), { limit: 3, position: { before: 6n } });
  t.match(backwards, { records: { text: '[{"id":3},{"id":4},{"id":5}]' }, first: 3n, last: 5n, more: false });
  t.same(
    { ...toPage(books, [], { limit: 3 }), records: 0 },
    { records: 0, first: undefined, last: undefined, more: false, isShort: false },
  );
  t.match(toPage(books, rows, { limit: 3, maxBytes: 15 }), { last: 3n, more: true, isShort: true });
  t.match(toPage(books, rows, { limit: 1, maxBytes: 1 }), { last: 3n, more: true, isShort: false });
  const long = ["3", "4", "5"].map((id): ListRow => [`{"id":${id},"a":"${"€".repeat(100)}"}`]);
  t.match(toPage(books, long, { limit: 3, maxBytes: 500 }), { last: 3n, isShort: true }, "bytes of UTF-8");
});

t.test("The name of an index has at most 63 bytes, and differs for each filter", async (t) => {
  const collection = { ...books, name: "organizations_repositories_vulnerability" };
  const filter = (name: string) => ({ name, property: name, type: "string", contains: false, isLong: false }) as const;
  t.equal(indexName(books, filter("title")), "books_by_title");
  const names = ["a", "b", "ä"].map((end) => indexName(collection, filter(`${"long".repeat(9)}${end}`)));
  t.equal(new Set(names).size, 3);
  for (const name of names) t.ok(Buffer.byteLength(name) <= 63, name);
});
