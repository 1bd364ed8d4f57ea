// The regular expressions of schemas match in linear time, whatever the document and the client write.
import t from "tap";
import { compilePattern, isExponential, tokenizePattern } from "../../src/openapi/regular-expressions.ts";
import { documentOf, serve } from "../support/document-server.ts";

t.test("Matches like a regular expression of JavaScript, also on long texts", async (t) => {
  for (const [pattern, good, bad] of [
    ["^[a-z]+$", "abc", "a1"],
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "a-b-c", "a--b"],
    ["^\\p{L}+$", "é", "1"],
    ["^\\u4e00+$", "\u4e00", "x"],
    ["^[\\u{4e00}-\\u{4e02}\\u005d]+$", "\u4e01]", "x"],
    ["^(red|green)+$", "redgreen", "blue"],
    ["^(\\d{2}:)*\\d{2}$", "01:02", "1:2"],
    ["^(?=.*\\d).+$", "a1", "a"],
    ["b", "abc", "ac"],
  ] as const) {
    const compiled = compilePattern(pattern);
    t.ok(compiled.test(good), `${pattern} matches ${good}`);
    t.notOk(compiled.test(bad), `${pattern} does not match ${bad}`);
    t.equal(
      compiled.test(bad.repeat(500)),
      new RegExp(pattern, "u").test(bad.repeat(500)),
      `${pattern} on a long text`,
    );
  }
  t.throws(() => compilePattern("("), SyntaxError);
  t.equal(tokenizePattern("("), undefined);
});

t.test("Takes linear time for a nested repetition", async (t) => {
  const start = performance.now();
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "^([a-z]+-?)+$", "^(.*a){20}$"])
    t.notOk(compilePattern(pattern).test(`${"a".repeat(5_000)}!`), pattern);
  t.ok(performance.now() - start < 2_000);
});

t.test("Refuses an expression that only backtracking can match, and that can take exponential time", async (t) => {
  for (const pattern of ["^(?=(a+)+$)a", "^(a+)\\1$", "^((?<!b)a+)+$"]) t.ok(isExponential(pattern), pattern);
  for (const pattern of ["^(a+)+$", "^(?=a+$)a", "^(?:ab){2}$"]) t.notOk(isExponential(pattern), pattern);
  const paths = (schema: string) =>
    `  /x:\n    get: { operationId: x, parameters: [{ name: a, in: query, schema: ${schema} }], responses: { 204: { description: x } } }\n`;
  const message = /can take exponential time/;
  await t.rejects(serve(documentOf(paths('{ type: string, pattern: "^(a+)\\\\1$" }'))), { message });
  await t.rejects(serve(documentOf(paths('{ patternProperties: { "^(a+)\\\\1$": {} } }'))), { message });
  const { send } = await serve(documentOf(paths('{ type: string, pattern: "^(a+)+$" }')));
  t.match(await send("GET", `/x?a=${"a".repeat(5_000)}!`), { status: 400 });
  t.match(await send("GET", `/x?a=${"a".repeat(5_000)}`), { status: 204 });
});
