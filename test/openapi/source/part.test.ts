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

t.test("Rejects references that lead to nothing, to themselves or to another document", async (t) => {
  for (const [message, reference] of [
    ["The document is invalid: the reference #/b at /a/0 leads to nothing.", "#/b"],
    ["The document is invalid: the reference #/a/0 leads to itself.", "#/a/0"],
    [
      "The document has the reference books.yaml#/a, but only references such as #/components/… are supported.",
      "books.yaml#/a",
    ],
  ] as const)
    t.throws(() => Part.of({ a: [{ $ref: reference }] }).membersOf("a"), { message });
});

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

t.test("Names the document itself as the place of a reference", async (t) => {
  t.throws(() => Part.of({ $ref: "#/b" }).resolve(), { message: /the reference #\/b at \/ leads to nothing/ });
});
