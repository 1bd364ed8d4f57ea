// Regular expressions: none takes more than linear time, whatever text it is applied to.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "recheck";
import t from "tap";
import { default as ts } from "typescript";
import { parse } from "yaml";
import { documentText, root } from "../support/files.ts";

const timeout = 20_000; // milliseconds for one expression

/** Returns a text for which the expression takes more than linear time; undefined if there is none. */
async function findAttack(source: string, flags: string): Promise<string | undefined> {
  const result = await check(source, flags, { timeout });
  if (result.status === "vulnerable") return `${result.complexity.summary}: ${result.attack.pattern}`;
  return result.status === "unknown" ? `not proven: ${result.error.kind}` : undefined;
}

/** Returns the source and the flags of each regular expression of a file, and of each pattern that it only composes. */
function readExpressions(name: string, text: string): { literals: [source: string, flags: string][]; dynamic: number } {
  const literals: [string, string][] = [];
  let dynamic = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = "", flags = ""] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
      literals.push([source, flags]);
    }
    if (ts.isNewExpression(node) && node.expression.getText() === "RegExp") dynamic += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
  return { literals, dynamic };
}

t.test("Finds expressions that take quadratic or exponential time", async (t) => {
  for (const source of ["^\\s*(identity)?\\s*$", "0+$", "%.*x", "^(a+)+$", "^(a|a)*$", "^\\s*(.*)*$"])
    t.ok(await findAttack(source, ""), source);
  t.same(readExpressions("x.ts", "const x = a / /b\\/[/]/gi.exec(c) / d;").literals, [["b\\/[/]", "gi"]]);
});

t.test("Every regular expression of the code takes linear time", async (t) => {
  const folders = ["src", "openapi/client"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[jt]s$/.test(name) && !name.includes("node_modules"))
      .map((name) => join(folder, name)),
  );
  let count = 0;
  const dynamic: Record<string, number> = {};
  for (const file of files) {
    const found = readExpressions(file, readFileSync(join(root, file), "utf8"));
    if (found.dynamic > 0) dynamic[file] = found.dynamic;
    for (const [source, flags] of found.literals) {
      count += 1;
      t.equal(await findAttack(source, flags), undefined, `${file}: /${source}/${flags}`);
    }
  }
  t.ok(count > 50, `${count} expressions`);
  // Composed at run time: of path templates, which test/openapi/hostile-parameters.test.ts measures, and of the document, which
  // test/openapi/schema/regular-expressions.test.ts measures.
  t.same(dynamic, {
    "src/diff/git.ts": 1, // of the random name of a folder, in messages of the command itself
    "src/mcp/json-schema.ts": 1, // only compiled, to see whether it is valid
    "src/openapi/operation/path-template.ts": 1,
    "src/openapi/schema/texts/foreign-patterns.ts": 2, // only compiled, to see whether they are valid
    "src/openapi/schema/texts/regular-expressions.ts": 2,
  });
});

t.test("Every pattern of the document takes linear time", async (t) => {
  const patterns = new Set<string>();
  JSON.stringify(parse(documentText), (key, value) => {
    if (key === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  t.ok(patterns.size > 5);
  for (const pattern of patterns) t.equal(await findAttack(pattern, "u"), undefined, pattern);
});
