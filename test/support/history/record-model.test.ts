// The check of histories accepts what a store can do, and finds each kind of fault.
import t from "tap";
import { type Content, checkHistory, type Patch, type RecordCall, type SeenRecord } from "./record-model.ts";

type Sent = Pick<RecordCall, "method" | "path"> & Partial<RecordCall>;

const shelf = "/shelves/a";
const books = `${shelf}/books`;
const content = (mark: string, changed: Partial<Content> = {}): Content => ({
  mark,
  note: "",
  count: 0,
  log: [],
  ...changed,
});
const seen = (path: string, one: Content): SeenRecord => ({ path, content: one });

/** A call that lasts from `start` to `start + 1`, unless `times` has other ones. */
const answered = (sent: Sent, start: number, status: number, ...records: SeenRecord[]): RecordCall => ({
  start,
  end: start + 1,
  response: { status, records },
  ...sent,
});
const unanswered = (sent: Sent, start: number): RecordCall => ({ start, end: Number.POSITIVE_INFINITY, ...sent });

const createShelf = (start: number, mark: string, times: Partial<RecordCall> = {}) =>
  answered({ method: "create", path: shelf, content: content(mark), ...times }, start, 201, seen(shelf, content(mark)));
const deleteShelf = (start: number, times: Partial<RecordCall> = {}) =>
  answered({ method: "delete", path: shelf, ...times }, start, 204);
const createBook = (start: number, id: number, mark: string, times: Partial<RecordCall> = {}) =>
  answered(
    { method: "create", path: books, content: content(mark), ...times },
    start,
    201,
    seen(`${books}/${id}`, content(mark)),
  );
const listBooks = (start: number, ...records: SeenRecord[]) =>
  answered({ method: "list", path: books }, start, 200, ...records);
const getBook = (start: number, id: number, one?: Content) =>
  one
    ? answered({ method: "get", path: `${books}/${id}` }, start, 200, seen(`${books}/${id}`, one))
    : answered({ method: "get", path: `${books}/${id}` }, start, 404);
const patchBook = (start: number, id: number, patch: Patch, after: Content, rest: Partial<RecordCall> = {}) =>
  answered({ method: "patch", path: `${books}/${id}`, patch, ...rest }, start, 200, seen(`${books}/${id}`, after));

const book = (id: number, mark: string, changed?: Partial<Content>) => seen(`${books}/${id}`, content(mark, changed));
const base = [createShelf(1, "s1"), createBook(3, 1, "b1")];
const add = (value: string): Patch => [{ op: "add", path: "/log/-", value }];

const none = (title: string, ...calls: RecordCall[]) => t.test(title, async (t) => t.same(checkHistory(calls), []));
const fault = (title: string, ...calls: RecordCall[]) =>
  t.test(title, async (t) => t.match(checkHistory(calls), [/^\/shelves\/a: no order of the calls explains /]));

none(
  "A history without faults has none",
  ...base,
  listBooks(5, book(1, "b1")),
  deleteShelf(7),
  createShelf(9, "s2"),
  listBooks(11),
);
none(
  "A call without a response may have happened",
  ...base,
  unanswered({ method: "delete", path: shelf }, 5),
  listBooks(7, book(1, "b1")),
  answered({ method: "list", path: books }, 9, 404),
);
none(
  "A repeated creation is one",
  createShelf(1, "s1"),
  unanswered({ method: "create", path: books, content: content("b1") }, 3),
  { ...createBook(5, 1, "b1"), response: { status: 201, records: [book(1, "b1")], isReplay: true } },
  listBooks(7, book(1, "b1")),
);
none("A list is empty if the record above it is deleted meanwhile", ...base, deleteShelf(5, { end: 8 }), listBooks(6));
none(
  "A conditional patch of another version fails",
  ...base,
  patchBook(5, 1, { note: "n" }, content("b1", { note: "n" })),
  answered({ method: "patch", path: `${books}/1`, patch: { note: "m" }, ifMatch: content("b1") }, 7, 412),
  answered({ method: "patch", path: `${books}/1`, patch: [{ op: "test", path: "/count", value: 7 }] }, 9, 409),
);

fault("A child that is lost is found", ...base, listBooks(5));
fault("A child that a read does not find is found", ...base, getBook(5, 1));
fault("A parent that is lost is found", ...base, answered({ method: "get", path: shelf }, 5, 404));
fault(
  "A child that is doubled by a retry is found",
  createShelf(1, "s1"),
  unanswered({ method: "create", path: books, content: content("b1") }, 3),
  createBook(5, 2, "b1"),
  listBooks(7, book(1, "b1"), book(2, "b1")),
);
fault(
  "A child below a new parent that the deletion of the old one deletes is found",
  ...base,
  deleteShelf(5, { end: 20 }),
  createShelf(7, "s2"),
  createBook(9, 2, "b2"),
  listBooks(11),
);
fault(
  "A child below a later parent with the same id is found",
  ...base,
  deleteShelf(5),
  createShelf(7, "s2"),
  listBooks(9, book(1, "b1")),
);
fault(
  "A child that is created during a deletion, and appears below a later parent, is found",
  ...base,
  deleteShelf(5, { end: 8 }),
  createBook(6, 2, "b2"),
  createShelf(9, "s2"),
  getBook(11, 2, content("b2")),
);
fault("A child below a deleted parent is found", ...base, deleteShelf(5), createBook(7, 2, "b2"));
fault(
  "A child of a child that survives its parent is found",
  ...base,
  answered(
    { method: "create", path: `${books}/1/notes`, content: content("n1") },
    5,
    201,
    seen(`${books}/1/notes/1`, content("n1")),
  ),
  deleteShelf(7),
  answered({ method: "get", path: `${books}/1/notes/1` }, 9, 200, seen(`${books}/1/notes/1`, content("n1"))),
);
fault(
  "A deleted child that appears again is found",
  ...base,
  answered({ method: "delete", path: `${books}/1` }, 5, 204),
  listBooks(7, book(1, "b1")),
);
fault(
  "A deletion without an effect is found",
  ...base,
  deleteShelf(5),
  answered({ method: "get", path: shelf }, 7, 200, seen(shelf, content("s1"))),
);
fault("A second parent with the same id is found", ...base, createShelf(5, "s2"));
fault(
  "A patch that is lost is found",
  ...base,
  patchBook(5, 1, add("x"), content("b1", { log: ["x"] }), { end: 9 }),
  patchBook(6, 1, add("y"), content("b1", { log: ["y"] }), { end: 9 }),
);
fault(
  "A patch that a later read does not show is found",
  ...base,
  patchBook(5, 1, add("x"), content("b1", { log: ["x"] })),
  getBook(7, 1, content("b1")),
);
fault(
  "A patch that is half of one is found",
  ...base,
  unanswered(
    { method: "patch", path: `${books}/1`, patch: [...(add("x") as []), { op: "replace", path: "/count", value: 1 }] },
    5,
  ),
  getBook(7, 1, content("b1", { log: ["x"] })),
);
fault(
  "A counter that two conditional patches raise to the same number is found",
  ...base,
  patchBook(5, 1, { count: 1 }, content("b1", { count: 1 }), { end: 9, ifMatch: content("b1") }),
  patchBook(6, 1, { count: 1 }, content("b1", { count: 1 }), { end: 9, ifMatch: content("b1") }),
);
fault(
  "A failed patch that has an effect is found",
  ...base,
  answered({ method: "patch", path: `${books}/1`, patch: { note: "n" }, ifMatch: content("other") }, 5, 412),
  getBook(7, 1, content("b1", { note: "n" })),
);
fault("A patch that nobody sent is found", ...base, getBook(5, 1, content("b1", { note: "n" })));
fault("A status that is not of the operation is found", ...base, answered({ method: "delete", path: shelf }, 5, 400));
