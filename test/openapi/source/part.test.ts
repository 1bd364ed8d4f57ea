// References of a document: they are followed, and never copied.
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { Part } from "../../../src/openapi/source/part.ts";
import { edit } from "../../support/files.ts";
import { libraryText } from "../../support/library.ts";

t.test("Follows chains of references, with escapes of JSON pointers and of URIs", async (t) => {
  const content = {
    first: { $ref: "#/a~1b~0c/second%20one" },
    "a/b~c": { "second one": { $ref: "#/list/1" } },
    list: [0, { name: "found" }],
  };
  const part = Part.of(content as { first: object }).at("first");
  t.same([part?.value, part?.pointer], [{ name: "found" }, "/list/1"]);
  t.same(
    Part.of(content)
      .membersOf("list")
      .map(([key, { pointer }]) => [key, pointer]),
    [
      ["0", "/list/0"],
      ["1", "/list/1"],
    ],
  );
  t.same(Part.of({} as { list?: object[] }).membersOf("list"), []);
  t.equal(Part.of({ list: [null, 1] }).membersOf("list").length, 1);
});

t.test("Finds no members of Object.prototype", async (t) => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    const part = Part.of({} as Record<string, unknown>);
    t.equal(part.at(name), undefined, name);
    t.equal(part.written(name), undefined, name);
  }
});

t.test(
  "References that lead to nothing, to themselves or to another document are reported, and have no part",
  async (t) => {
    for (const [reference, message] of [
      ["#/b", 'leads to nothing: there is no "b"'],
      ["#/a/0", "leads to itself"],
      ["#/%", "is not a URI"],
      ["books.yaml#/a", "is not supported: it must be a path of a file, or begin with #/"],
    ] as const) {
      const root = Part.of({ a: [{ $ref: reference }] });
      t.same(root.membersOf("a"), [], reference);
      t.throws(() => root.find("/a/0").resolve(), { message });
    }
  },
);

t.test("Loads a document without paths, and one whose operations share everything by reference", async (t) => {
  const empty = await parseDocument(
    "openapi: 3.1.0\ninfo: { title: x, version: '1' }\nservers: [{ url: /v1 }]\ncomponents: {}",
  );
  t.same(empty.operations, []);
  const text = edit(libraryText, [
    "    get:\n      operationId: getBook",
    '    get:\n      $ref: "#/components/x-operations/getBook"\n    head:\n      operationId: getBook',
  ]);
  await t.rejects(parseDocument(text), { message: /getBook|invalid/ }, "an operation can't be a reference");
});
