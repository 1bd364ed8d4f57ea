// The official test suite of JSON Schema draft 4, by the dialect of OpenAPI 3.0, and the suite's formats.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { upgradeSchema30 } from "../../../src/openapi/schema/dialect.ts";
import { type ReportSchema, Schemas } from "../../../src/openapi/schema/schemas.ts";
import { findFormatTest } from "../../../src/openapi/schema/texts/format-tests.ts";
import { root } from "../../support/files.ts";

interface Group {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const folder = join(root, "test/support/json-schema-test-suite");
const pointer = "/components/schemas/x";

function* groups(name: string): Generator<Group & { readonly file: string }> {
  for (const file of globSync("*.json", { cwd: join(folder, name) }).sort())
    for (const group of JSON.parse(readFileSync(join(folder, name, file), "utf8")) as Group[]) yield { ...group, file };
}

/** Why a schema is refused, by the reason that is reported. */
const refusals: readonly (readonly [reason: RegExp, why: string])[] = [
  [/"items", which must be a schema/, "OpenAPI 3.0 has no tuples"],
  [/unknown keyword "(additionalItems|dependencies|definitions|id|components)"/, "OpenAPI 3.0 does not have it"],
  [/has the default/, "a handler would receive an invalid value"],
  [/has the reference (http|#\/properties\/foo)/, "it leads out of the document, or to the root of the schema"],
];

t.test("Judges all values as the suite of draft 4 does, or refuses what OpenAPI 3.0 does not have", async (t) => {
  let right = 0;
  for (const { file, description, schema, tests } of groups("draft4")) {
    const reasons: string[] = [];
    const report: ReportSchema = (_rule, _pointer, reason) => void reasons.push(reason);
    const { $schema: _, ...x } = schema;
    const schemas = new Schemas({ components: { schemas: { x } } }, { upgrade: upgradeSchema30 });
    schemas.add(pointer, { report });
    schemas.checkReferences({ report });
    schemas.checkDefaults([pointer], report);
    if (reasons.length > 0) {
      t.ok(
        refusals.some(([reason]) => reason.test(reasons[0] as string)),
        `${file}: ${description}: ${reasons[0]}`,
      );
      continue;
    }
    const validate = schemas.compileCheckAt(pointer);
    for (const { data, valid, description: name } of tests) {
      t.equal("value" in validate(data), valid, `${file}: ${description}: ${name}`);
      right += 1;
    }
  }
  t.equal(right, 462);
});

/** The texts that are judged differently, by format, and why. */
const deviations: Readonly<Record<string, readonly [texts: RegExp, why: string]>> = {
  email: [/^"|@\[/, "a quoted local part, and an address literal"],
  hostname: [/^xn--|\.$|--/i, "punycode is not decoded, and a dot at the end is that of the root"],
  "idn-hostname": [/./, "Node's domainToASCII does not apply the contextual rules of RFC 5892"],
  iri: [/2001:|192\.168|\u{f0000}/u, "as uri, and private-use characters"],
  "uri-reference": [/"|\[|abc|@b@|192\.168|^1:b/, "the expression of ajv-formats is more tolerant"],
  "uri-template": [/\.|\x7f|'/, "the expression of ajv-formats"],
  uri: [/abc|01\.2|\[::1\]$/, "the expression of ajv-formats is more tolerant"],
};

t.test("Judges all texts as the formats of the suite do, except for known ones", async (t) => {
  let right = 0;
  let different = 0;
  for (const { schema, tests } of groups("formats"))
    for (const { data, valid, description } of tests) {
      if (typeof data !== "string") continue;
      const format = schema.format as string;
      const result = findFormatTest(format)?.(data);
      const [texts] = deviations[format] ?? [];
      if (result === valid) right += 1;
      else if (t.ok(texts?.test(data), `${format} ${JSON.stringify(data)}: ${description}`)) different += 1;
    }
  t.same({ right, different }, { right: 561, different: 68 });
});
