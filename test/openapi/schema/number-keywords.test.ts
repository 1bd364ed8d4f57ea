// Numbers of bodies: an int64 is exact under any keyword, and other numbers have the range of their format.
import t from "tap";
import { parseJson } from "../../../src/lib/index.ts";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { createRecordValidator } from "../../../src/openapi/operation/table-cells.ts";
import { edit } from "../../support/files.ts";
import { libraryText } from "../../support/library.ts";
import { checkSchemas, compileSchema } from "../../support/schemas.ts";

t.test("A fraction is no multiple of an integer, however large it is", async (t) => {
  checkSchemas(t, [
    ["1", { multipleOf: 1 }, [1234567890123], [1234567890123.5]],
    ["0.01", { multipleOf: 0.01 }, [12345678901.23, 4.35], [12345678901.237]],
  ]);
});

t.test("Converts an int64 at any depth, under any keyword, and leaves other numbers", async (t) => {
  const int64 = "{ type: integer, format: int64 }";
  const text = edit(libraryText, [
    "    NewBook:\n",
    `    Tree:
      type: object
      properties:
        id: ${int64}
        next: { $ref: "#/components/schemas/Tree" }
        list: { type: array, prefixItems: [{ type: string }], items: ${int64} }
        map: { additionalProperties: ${int64}, properties: { plain: { type: integer } }, patternProperties: { "^n": { type: number } } }
        either: { oneOf: [{ type: object, required: [a], properties: { a: ${int64} } }, { type: object, required: [b], properties: { a: { type: integer }, b: {} } }] }
        nullable: { type: [integer, "null"], format: int64 }
        any: { anyOf: [${int64}, { type: string }] }
        all: { allOf: [{ properties: { a: ${int64} } }, { properties: { b: ${int64} } }] }
        conditional: { if: { required: [a] }, then: { properties: { c: ${int64} } }, else: { properties: { c: { type: integer } } } }
        dependent: { dependentSchemas: { a: { properties: { b: ${int64} } } } }
        not: { not: ${int64} }
        number: { type: number }
        limited: { minimum: 5 }
        versions: { properties: { version: ${int64} }, oneOf: [{ required: [amount], properties: { version: { const: 1 }, amount: ${int64} } }, { properties: { version: { const: 2 } } }] }
        price: { type: number, multipleOf: 0.01 }
        mixed: { type: [object, number] }
        both: { type: integer, allOf: [${int64}] }
        nothing: { type: [object, "null"], properties: { a: ${int64} } }
        texts: { type: [string, integer, array, boolean, number] }
        small: { type: integer, format: int32 }
    NewBook:\n`,
  ]);
  const { root, schemas } = await parseDocument(text);
  const validate = createRecordValidator(root.find("/components/schemas/Tree"), schemas);
  const big = 9007199254740993n;
  for (const [value, expected] of [
    [
      { id: 1, next: { id: 2, next: { id: big } } },
      { id: 1n, next: { id: 2n, next: { id: big } } },
    ],
    [{ list: ["1", 2, big] }, { list: ["1", 2n, big] }],
    [{ map: { a: 1, plain: 1, n: 1 } }, { map: { a: 1n, plain: 1, n: 1 } }],
    [{ either: { a: 1 } }, { either: { a: 1n } }],
    [{ either: { b: 1 } }, { either: { b: 1 } }],
    [{ nullable: null }, { nullable: null }],
    [{ nullable: 5 }, { nullable: 5n }],
    [{ any: 5 }, { any: 5n }],
    [{ any: "5" }, { any: "5" }],
    [{ all: { a: 1, b: 2, c: 3 } }, { all: { a: 1n, b: 2n, c: 3 } }],
    [{ conditional: { a: 1, c: 2 } }, { conditional: { a: 1, c: 2n } }],
    [{ conditional: { c: 2 } }, { conditional: { c: 2 } }],
    [{ dependent: { a: 1, b: 2 } }, { dependent: { a: 1, b: 2n } }],
    [{ dependent: { b: 2 } }, { dependent: { b: 2 } }],
    [{ not: "x" }, { not: "x" }],
    [{ number: big }, { number: 9007199254740992 }],
    [{ limited: "x" }, { limited: "x" }],
    [{ both: 1 }, { both: 1n }],
    [{ mixed: {} }, { mixed: {} }],
    [{ versions: { version: 1, amount: 5 } }, { versions: { version: 1n, amount: 5n } }],
    [{ price: 4.35 }, { price: 4.35 }],
    [
      { nothing: null, texts: "x" },
      { nothing: null, texts: "x" },
    ],
    [
      { nothing: { a: 1 }, texts: 7 },
      { nothing: { a: 1n }, texts: 7 },
    ],
  ] as const)
    t.strictSame(validate(structuredClone(value)), { value: expected });
  for (const value of [
    { list: ["1", 1.5] },
    { either: { a: "1" } },
    { nullable: 2n ** 63n },
    { not: big },
    { not: 5 },
    { small: 2 ** 31 },
    { texts: {} },
    { texts: null },
    { limited: 4 },
    { price: 4.355 },
    { map: { plain: big } },
  ])
    t.match(validate(value), { problem: Object }, String(Object.keys(value)));
});

t.test("An int32 has the range of its format", async (t) => {
  const { root, schemas } = await parseDocument(
    edit(libraryText, ["{ type: integer, minimum: 0, default: 1 }", "{ type: integer, format: int32 }"]),
  );
  const validate = createRecordValidator(root.find("/components/schemas/NewBook/properties/copies"), schemas);
  t.match(validate(3_000_000_000), {
    problem: { path: "", requirement: "must be an integer from -2147483648 to 2147483647" },
  });
});

t.test("The integers of the format registry have their ranges", async (t) => {
  for (const [format, min, max] of [
    ["int8", -128, 127],
    ["int16", -32_768, 32_767],
    ["uint8", 0, 255],
    ["uint16", 0, 65_535],
    ["uint32", 0, 4_294_967_295],
  ] as const)
    checkSchemas(t, [
      [format, { type: "integer", format }, [min, max], [min - 1, max + 1, `${min}`]],
      [`${format} as a number`, { type: "number", format }, [min, max], [min - 1, max + 1, 0.5]],
      [`${format} without a type`, { format }, [min, max, "x"], [min - 1, max + 1]],
      [`${format} of a string means nothing`, { type: "string", format }, [`${max + 1}`, "x"], [1]],
      [`${format} or null`, { type: ["integer", "null"], format }, [null, max], [max + 1]],
    ]);
  const [int64, uint64] = ["int64", "uint64"].map((format) => ({ type: "integer", format }));
  checkSchemas(t, [
    ["int64", int64, [-(2n ** 63n), 2n ** 63n - 1n, 5], [2n ** 63n, 5.5]],
    ["uint64", uint64, [0, 2n ** 64n - 1n], [-1, 2n ** 64n]],
    [
      "int64 as a string",
      { type: "string", format: "int64" },
      [`${2n ** 63n - 1n}`, "-5"],
      [`${2n ** 63n}`, "1".repeat(30), "", "1.0", " 1", "0x1", 1],
    ],
  ]);
  t.same(compileSchema(uint64)(parseJson("18446744073709551615")), { value: 2n ** 64n - 1n });
});

t.test(
  "An integer beyond 2^53 is a bigint, and not rounded, if the limits of the schema include it, and rejected otherwise",
  async (t) => {
    const validate = compileSchema({ type: "integer", minimum: -(2 ** 63), maximum: 2 ** 63 });
    t.strictSame(validate(9007199254740993n), { value: 9007199254740993n });
    t.strictSame(validate(9007199254740994n), { value: 9007199254740994 });
    const exact = compileSchema({ type: "integer", maximum: 9007199254740993n });
    t.strictSame(exact(9007199254740993n), { value: 9007199254740993n });
    t.match(exact(9007199254740995n), { problems: Array });
    t.strictSame(validate(5), { value: 5 });
    t.match(validate(2n ** 64n), { problems: Array });
    t.match(validate(0.5), { problems: Array });
    t.match(compileSchema({ type: "integer", maximum: 2 ** 53 })(9007199254740993n), { problems: Array });
  },
);

t.test("A format of strings applies beside a type of numbers", async (t) => {
  checkSchemas(t, [["date", { type: ["integer", "string"], format: "date" }, [5, "2030-01-01"], ["x", 5.5]]]);
});
