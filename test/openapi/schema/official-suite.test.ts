// The official test suite of JSON Schema 2020-12 (test/support/json-schema-test-suite).
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { Schemas } from "../../../src/openapi/schema/schemas.ts";
import { root } from "../../support/files.ts";

interface Group {
  readonly description: string;
  readonly schema: boolean | Record<string, unknown>;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Why a document with a schema is refused, by the reason that is reported. */
const refusals: readonly (readonly [reason: RegExp, why: string])[] = [
  [/References to other documents must be relative paths of files/, "the suite loads them over the network"],
  [/has the unknown keyword/, "a misspelled keyword would not be enforced"],
  [/has the unknown format/, "it would not be enforced"],
  [/has the default/, "a handler would receive an invalid value"],
  [/has the \$schema .* which is read as JSON Schema 2020-12/, "only the dialects of OpenAPI are"],
  [/which leads back to it/, "no value can be checked"],
];

/** The tests that are judged differently, and why. */
const deviations: Readonly<Record<string, string>> = {
  "optional/bignum.json: integer: a bignum is an integer": "it has a format or limits beyond 2^53, or would be rounded",
  "optional/bignum.json: integer: a negative bignum is an integer": "as above",
  "optional/float-overflow.json: all integers are multiples of 0.5, if overflow is handled: valid if optional overflow handling is implemented":
    "1e308 is not an exact integer",
};

const folder = join(root, "test/support/json-schema-test-suite/draft2020-12");
const pointer = "/components/schemas/x";

/** Returns the validation of a schema, or the reason for which it is refused. */
function compile(schema: Group["schema"], name: string) {
  // References to the root of the schema: here, it is a part of a document.
  const x =
    typeof schema === "object" && schema.$id === undefined
      ? { $id: `https://suite.example/${name}`, ...schema }
      : schema;
  const reasons: string[] = [];
  const report = (_rule: string, _pointer: string, reason: string) => void reasons.push(reason);
  const schemas = new Schemas({ components: { schemas: { x } } });
  schemas.add(pointer, { report });
  schemas.checkReferences({ report });
  schemas.checkDefaults([pointer], report);
  return reasons[0] ?? schemas.compileCheckAt(pointer);
}

t.test("Judges all values as the official test suite does, or refuses the schema for a known reason", async (t) => {
  let right = 0;
  let refused = 0;
  const wrong: string[] = [];
  for (const file of globSync("**/*.json", { cwd: folder }).sort())
    for (const [index, { description, schema, tests }] of (
      JSON.parse(readFileSync(join(folder, file), "utf8")) as Group[]
    ).entries()) {
      const validate = compile(schema, encodeURI(`${file}/${index}`));
      if (typeof validate === "string") {
        refused += tests.length;
        if (!refusals.some(([reason]) => reason.test(validate))) t.fail(`${file}: ${description}: ${validate}`);
        continue;
      }
      for (const { description: name, data, valid } of tests) {
        if ("value" in validate(data) === valid) right += 1;
        else wrong.push(`${file.replaceAll("\\", "/")}: ${description}: ${name}`);
      }
    }
  t.same(wrong.sort(), Object.keys(deviations).sort());
  t.equal(right, 1_346);
  t.equal(refused, 112, "of schemas that are refused");
});
