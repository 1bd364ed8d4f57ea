// References between schemas: JSON pointers, $id, $anchor and $dynamicAnchor.
import t from "tap";
import { Schemas } from "../../../src/openapi/schema/schemas.ts";
import { checkSchemas, compileSchema, createSchemas } from "../../support/schemas.ts";

const branch = "then"; // Biome takes an object with this name for a promise

t.test("Follows JSON pointers, and enforces the keywords beside them", async (t) => {
  checkSchemas(
    t,
    [
      ["a $ref with siblings", { $ref: "#/components/schemas/y", maximum: 5 }, [1, 5], [6, -1]],
      ["two references", { $ref: "#/components/schemas/y", allOf: [{ $ref: "#/components/schemas/z" }] }, [2], [1, -2]],
      ["a chain", { $ref: "#/components/schemas/w" }, [0], [-1]],
      ["the place of a property", { $ref: "#/components/schemas/o/properties/a~1b~0c%25" }, ["x"], [1]],
      [
        "a member of $defs",
        { $defs: { "a b": { type: "null" } }, $ref: "#/components/schemas/x/$defs/a%20b" },
        [null],
        [1],
      ],
      ["a schema in an array", { $ref: "#/components/schemas/o/allOf/0" }, [[]], [1]],
      ["a property with the name $ref", { properties: { $ref: { type: "string" } } }, [{ $ref: "a" }], [{ $ref: 1 }]],
      ["a $ref in a const is data", { const: { $ref: "#/none" } }, [{ $ref: "#/none" }], [{ $ref: "#/components" }]],
      ["a $ref in an enum is data", { enum: [{ $ref: "#/none" }] }, [{ $ref: "#/none" }], [null]],
      ["a boolean schema", { properties: { a: { $ref: "#/components/schemas/no" } } }, [{}], [{ a: 1 }]],
    ],
    {
      others: {
        y: { minimum: 0 },
        z: { multipleOf: 2 },
        w: { $ref: "#/components/schemas/y" },
        o: { properties: { "a/b~c%": { type: "string" } }, allOf: [{ type: "array" }] },
        no: false,
      },
    },
  );
});

t.test("Resolves references against the $id around them", async (t) => {
  checkSchemas(t, [
    [
      "a relative $id",
      {
        $id: "http://e.example/root/",
        $defs: { a: { $id: "nested/a.json", $defs: { b: { $id: "b.json", type: "string" } }, $ref: "b.json" } },
        $ref: "nested/a.json",
      },
      ["x"],
      [1],
    ],
    [
      "a pointer below an $id",
      { $id: "http://e.example/root", $defs: { a: { type: "integer" } }, items: { $ref: "#/$defs/a" } },
      [[1]],
      [["x"]],
    ],
    [
      "a pointer of a nested resource",
      { $id: "http://e.example/root", $defs: { a: { $id: "a", $defs: { b: { type: "null" } } } }, $ref: "a#/$defs/b" },
      [null],
      [1],
    ],
    ["a URN", { $id: "urn:uuid:1", $defs: { a: { type: "string" } }, $ref: "urn:uuid:1#/$defs/a" }, ["x"], [1]],
    [
      "the root of the resource",
      { $id: "http://e.example/root", properties: { a: { $ref: "#" } }, additionalProperties: false },
      [{ a: { a: {} } }],
      [{ a: { b: 1 } }],
    ],
    [
      "an absolute path",
      { $id: "http://e.example/x/root", $defs: { a: { $id: "/a", type: "null" } }, $ref: "/a" },
      [null],
      [1],
    ],
  ]);
});

t.test("Reports a place of a schema that has none", async (t) => {
  for (const x of [5, null, [], "x"]) {
    const schemas = new Schemas({ components: { schemas: { x } } });
    const problems: string[] = [];
    schemas.add("/components/schemas/x", {
      report: (_, pointer, reason) => void problems.push(`${pointer} ${reason}`),
    });
    t.same(problems, ["/components/schemas/x must be an object, or true or false"]);
  }
});

t.test("Resolves anchors in their own resource", async (t) => {
  checkSchemas(t, [
    ["an anchor of the document", { $defs: { a: { $anchor: "here", type: "integer" } }, $ref: "#here" }, [1], ["x"]],
    [
      "an anchor of a resource",
      { $id: "http://e.example/root", $defs: { a: { $id: "a", $anchor: "n", type: "null" } }, $ref: "a#n" },
      [null],
      [1],
    ],
    [
      "the same anchor in two resources",
      {
        $id: "http://e.example/root",
        $anchor: "n",
        properties: {
          a: { $id: "a", $anchor: "n", type: "integer", properties: { b: { $ref: "#n" } } },
          c: { $ref: "a#n" },
        },
      },
      [{ a: 1, c: 1 }],
      [{ a: "x" }, { c: "x" }],
    ],
    ["a dynamic anchor, by $ref", { $defs: { a: { $dynamicAnchor: "d", type: "integer" } }, $ref: "#d" }, [1], ["x"]],
    [
      "a pointer by $dynamicRef",
      { $defs: { a: { type: "integer" } }, $id: "http://e.example/r", $dynamicRef: "#/$defs/a" },
      [1],
      ["x"],
    ],
    [
      "a plain anchor by $dynamicRef",
      { $defs: { a: { $anchor: "p", type: "integer" } }, $dynamicRef: "#p" },
      [1],
      ["x"],
    ],
    [
      "an anchor in a const is data",
      { const: { $anchor: "c" }, $defs: { a: { $anchor: "c", type: "object" } }, $ref: "#c" },
      [{ $anchor: "c" }],
      [1],
    ],
  ]);
});

const tree = {
  $id: "http://e.example/tree",
  $dynamicAnchor: "node",
  type: "object",
  properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
};

t.test("Resolves a dynamic reference to the outermost schema with its anchor", async (t) => {
  const strict = { $id: "http://e.example/strict", $dynamicAnchor: "node", $ref: "tree", unevaluatedProperties: false };
  checkSchemas(
    t,
    [["a strict tree", strict, [{ children: [{ data: 1 }] }], [{ children: [{ daat: 1 }] }, { daat: 1 }]]],
    {
      others: { tree },
    },
  );
  checkSchemas(
    t,
    [["a plain tree", { $ref: "http://e.example/tree" }, [{ children: [{ daat: 1 }] }], [{ children: [1] }]]],
    {
      others: { tree, strict },
    },
  );
  const list = {
    $id: "http://e.example/list",
    items: { $dynamicRef: "#item" },
    $defs: { any: { $dynamicAnchor: "item" } },
  };
  const listOf = (name: string, type: string) => ({
    $id: `http://e.example/${name}`,
    $ref: "list",
    $defs: { item: { $dynamicAnchor: "item", type } },
  });
  checkSchemas(
    t,
    [
      ["texts", { $ref: "http://e.example/texts" }, [["x"]], [[1]]],
      ["numbers", { $ref: "http://e.example/numbers" }, [[1]], [["x"]]],
      ["any", { $ref: "http://e.example/list" }, [[1, "x"]], []],
      [
        "a condition that selects the scope",
        {
          if: { properties: { kind: { const: "n" } }, required: ["kind"] },
          [branch]: { properties: { list: { $ref: "http://e.example/numbers" } } },
          else: { properties: { list: { $ref: "http://e.example/texts" } } },
        },
        [{ kind: "n", list: [1] }, { list: ["x"] }],
        [{ kind: "n", list: ["x"] }, { list: [1] }],
      ],
      [
        "the outermost of three scopes",
        { $id: "http://e.example/outer", $ref: "texts", $defs: { i: { $dynamicAnchor: "item", type: "boolean" } } },
        [],
        [["x"]],
      ],
    ],
    { others: { list, texts: listOf("texts", "string"), numbers: listOf("numbers", "integer") } },
  );
});

t.test("Refuses references that lead to nothing, and names the reason", async (t) => {
  for (const [message, schema] of [
    [/x has the reference #\/none, which leads to nothing: there is no "none"\.$/, { $ref: "#/none" }],
    [/x has the reference #\/none, which leads to nothing/, { $id: "http://e.example/", $ref: "#/none" }],
    [/has the reference #none, which leads to nothing/, { $ref: "#none" }],
    [
      /has the reference http:\/\/other.example\/a, which leads to nothing in the document/,
      { $ref: "http://other.example/a" },
    ],
    [/has the reference other.json, which leads to nothing/, { $id: "http://e.example/", $ref: "other.json" }],
    [/has the reference http:\/\/\[, which is not a URI/, { $ref: "http://[" }],
    [/has the reference #\/%zz, which is not a URI/, { $ref: "#/%zz" }],
    [/has the reference #\/%zz, which is not a URI/, { $id: "http://e.example/", $ref: "#/%zz" }],
    [/two schemas with the \$id a/, { allOf: [{ $id: "a" }, { $id: "a" }] }],
    [/keyword "\$anchor", which must be a string/, { $anchor: 1 }],
    [/keyword "\$dynamicAnchor", which must be a string/, { $dynamicAnchor: 1 }],
  ] as const)
    t.throws(() => compileSchema(schema), { message }, JSON.stringify(schema));
});

t.test("Dynamic anchors without a reference make no further schemas", async (t) => {
  const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `https://x.example/${name}` }]));
  const others = Object.fromEntries(
    names.map((name) => [name, { $id: `https://x.example/${name}`, $dynamicAnchor: name, type: "object", properties }]),
  );
  const start = performance.now();
  const validate = compileSchema({ $ref: "https://x.example/s0" }, { others });
  t.match(validate({ s1: { s2: { s3: 1 } } }), { problems: Array });
  t.ok(performance.now() - start < 5_000);
});

t.test("Objects of different members differ, also in a document with dynamic anchors", async (t) => {
  const schemas = createSchemas(
    { $dynamicAnchor: "a", type: "integer" },
    { others: { y: { $dynamicRef: "#a" }, text: { type: "string" } } },
  );
  const compile = (name: string, schema: string) =>
    schemas.compileObject([{ name, pointer: `/components/schemas/${schema}`, required: true, allowEmptyValue: false }]);
  const [first, second] = [compile("one", "x"), compile("two", "text")];
  t.match(first({ one: 1 }), { value: { one: 1 } });
  t.match(second({ two: "x" }), { value: { two: "x" } });
  t.match(second({ one: 1 }), { problems: Array });
});
