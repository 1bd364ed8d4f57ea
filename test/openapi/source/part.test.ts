// References of a document: they are followed, and never copied.
import t from "tap";
import { parseDocument, readDocument } from "../../../src/openapi/document/document.ts";
import { Part } from "../../../src/openapi/source/part.ts";
import { edit, writeFiles } from "../../support/files.ts";
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

const head = 'openapi: 3.1.0\ninfo: { title: x, version: "1" }\n';
const bodyOf = (reference: string) =>
  `requestBody: { content: { application/json: { schema: { $ref: "${reference}" } } } }, responses: { 204: { description: x } }`;

t.test("A pointer leads through references, also in other files", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:
  /a: { post: { operationId: a, ${bodyOf("#/components/schemas/Person")} } }
  /b: { post: { operationId: b, ${bodyOf("#/components/schemas/Other/properties/home/properties/zip")} } }
  /c: { post: { operationId: c, ${bodyOf("other.yaml#/Pet/properties/home/properties/zip")} } }
  /d: { post: { operationId: d, ${bodyOf("#/components/requestBodies/Alias/content/application~1json/schema")} } }
components:
  requestBodies:
    Alias: { $ref: "#/components/requestBodies/Own" }
    Own: { content: { application/json: { schema: { $ref: "#/components/schemas/Person" } } } }
  schemas:
    Home: { $ref: "#/components/schemas/Address" }
    Address: { type: object, properties: { zip: { type: string, pattern: "^[0-9]{5}$" } } }
    Other: { $ref: "other.yaml#/Pet" }
    Person:
      type: object
      properties:
        home: { $ref: "#/components/schemas/Home" }
        zip: { $ref: "#/components/schemas/Person/properties/home/properties/zip" }
`,
    "other.yaml": `Place: { properties: { zip: { type: string, maxLength: 3 } } }
Pet: { properties: { home: { $ref: "#/Place" } } }
`,
  });
  const { operations, findings } = await readDocument(path);
  t.same(findings.list(), []);
  const check = (id: string, body: unknown) => {
    const validate = operations.find((one) => one.id === id)?.body?.select("application/json")?.validate;
    return "value" in (validate?.(body) ?? {});
  };
  for (const id of ["a", "d"]) t.same([check(id, { zip: "12345" }), check(id, { zip: "x" })], [true, false], id);
  for (const id of ["b", "c"]) t.same([check(id, "123"), check(id, "1234")], [true, false], id);
});

t.test("A pointer that leads through references to itself, or to nothing behind one, is an error", async (t) => {
  for (const [schemas, reason] of [
    ["A: { $ref: '#/components/schemas/A/properties/x' }", "leads to itself"],
    ["A: { $ref: '#/components/schemas/B/x' }, B: { $ref: '#/components/schemas/A/y' }", "leads to itself"],
    ["A: { $ref: '#/components/schemas/B/x' }, B: { $ref: '#/components/schemas/C' }, C: {}", 'there is no "x"'],
  ] as const)
    await t.rejects(
      parseDocument(
        `${head}paths:\n  /a: { post: { ${bodyOf("#/components/schemas/A")} } }\ncomponents: { schemas: { ${schemas} } }`,
      ),
      { message: new RegExp(`schema at /components/schemas/A has the reference .*${reason}`) },
      schemas,
    );
  const parameter = `${head}paths:\n  /a: { get: { parameters: [{ $ref: "#/components/parameters/P/x" }], responses: {} } }\n`;
  await t.rejects(
    parseDocument(`${parameter}components: { parameters: { P: { $ref: "#/components/parameters/P/y" } } }`),
    {
      message: /The reference #\/components\/parameters\/P\/x leads to itself/,
    },
  );
});
