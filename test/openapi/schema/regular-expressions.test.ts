// The regular expressions of schemas match in linear time, whatever the document and the client write.
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import {
  compilePattern,
  isSlow,
  tokenizePattern,
  toRegExp,
} from "../../../src/openapi/schema/texts/regular-expressions.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { compileSchema } from "../../support/schemas.ts";

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
    ["(?=.*a)b", "ba", "xxxx"],
    ["^[a-z\\:]+\\-$", "a:-", "a-:"], // only valid without the flag u
  ] as const) {
    const compiled = compilePattern(pattern);
    t.ok(compiled.test(good), `${pattern} matches ${good}`);
    t.notOk(compiled.test(bad), `${pattern} does not match ${bad}`);
    t.equal(compiled.test(bad.repeat(500)), toRegExp(pattern).test(bad.repeat(500)), `${pattern} on a long text`);
  }
  t.throws(() => compilePattern("("), SyntaxError);
  t.equal(tokenizePattern("("), undefined);
});

t.test("Takes linear time, also for nested and for adjacent repetitions", async (t) => {
  const start = performance.now();
  const texts = [`${"a".repeat(5_000)}!`, `${"a".repeat(200)}!`];
  for (const pattern of [
    ...["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "^([a-z]+-?)+$", "^(.*a){20}$"],
    ...["^a*a*a*a*a*a*b$", "a*a*a*b", `^${"a?".repeat(30)}${"a".repeat(30)}b$`, `^${"(a|a)".repeat(40)}b$`],
    ...["^a{0,500}a{0,500}a{0,500}b$", "(a*)?(a*)?(a*)?b"],
  ])
    for (const text of texts) t.notOk(compilePattern(pattern).test(text), pattern);
  t.ok(performance.now() - start < 2_000);
});

t.test("RE2 judges white space, line breaks and the dot like JavaScript", async (t) => {
  for (const [pattern, good, bad] of [
    ["^(\\w+\\s?)+$", "Jean\u00a0Luc a\vb", "a-b"],
    ["^([\\w]+[\\s,]?)+$", "Jean\u00a0Luc,a", "a-b"],
    ["^(\\S+;)+$", "a;b;", "a\u00a0;"],
    ["^(.+;)+$", "a;b;", "a\r;"],
    ["^([\\S]+;)+$", "a;é😀;", "a\u00a0;"],
    ["^([\\s\\S]+;)+$", "a\n\u2028;", "a"],
    ["^(.+;)+$", "a;", "a\u2028;"],
    ["^([.]+;?)+$", "..;.", "a"],
  ] as const)
    for (const text of [good, bad])
      t.equal(compilePattern(pattern).test(text), text === good, `${pattern} ${encodeURI(text)}`);
  for (const pattern of ["^(?<x>a*)\\k<x>b", "^((?i:a)+)+$"]) t.ok(isSlow(pattern, undefined), pattern);
});

t.test("Bounds the time of long fixed parts and of RE2", async (t) => {
  const start = performance.now();
  const text = "a".repeat(2 ** 20 - 3);
  t.ok(isSlow("(?:[ab]{100}){30}c", undefined));
  t.ok(compilePattern("^(?<x>a+)\\k<x>$").test("aa"), "V8 knows what RE2 does not");
  for (const pattern of ["^([\\w.]{1,255}[;, ]?)*$", "^(?:[ab]{1,900},?)*$"])
    t.notOk(compilePattern(pattern).test(`${text}!`), pattern);
  t.ok(compilePattern("^([\\w.]{1,255}[;, ]?)*$").test("a.b;c".repeat(1_000)));
  t.ok(performance.now() - start < 5_000);
});

t.test("Repeats alternatives without backtracking if no two of them begin with the same character", async (t) => {
  const isExclusive = (alternatives: string) => !isSlow(`^(?!x)(?:${alternatives})*$`, undefined); // RE2 has no lookahead
  for (const alternatives of ['[^"\\\\]|\\\\.', "a|b", "[a-m]|[n-z]|\\d", "[^\\w]|a", "\\u0061|b"])
    t.ok(isExclusive(alternatives), alternatives);
  for (const alternatives of [
    "a|a",
    "[a-m]|[k-z]",
    "\\p{L}|é",
    "[\\x20-\\x7e]|~",
    "\\x2e|\\.",
    "\\cj|\\n",
    "[a\\b]|\\x08",
    "[^😀]|😁",
    "[^\\u{1F600}]|\\u{1F601}",
    "[a-\\d]|5",
    "\\:|u",
    "[\\p{L}-]|é",
    "[^\\p{L}]|1",
    "[^\\d\\D]|1",
    "|a",
    "a|(?:b)",
    "[^a]|[^b]",
  ])
    t.notOk(isExclusive(alternatives), alternatives);
});

t.test(
  "In strict mode, refuses an expression that only backtracking can match, and that can take too long",
  async (t) => {
    const slow = ["^(?=(a+)+$)a", "^(a+)\\1$", "^((?<!b)a+)+$", "(?=.*a)b", "^.*(?=.*a)b", "^(?!.*a.*b)"];
    for (const pattern of slow) t.ok(isSlow(pattern, undefined), pattern);
    const fast = ["^(a+)+$", "^(?=a+$)a", "^(?:ab){2}$", "(?=^.*a)b", "(?!^.*a)(^b|^c)", "^(?=.*[a-z])(?=.*\\d).{8,}$"];
    for (const pattern of fast) t.notOk(isSlow(pattern, undefined), pattern);
    for (const pattern of ["(?=.*a)b", "^(?!.*a.*b)"])
      t.notOk(isSlow(pattern, 1_000), `${pattern} on 1,000 characters`);
    const paths = (schema: string) =>
      `  /x:\n    get: { operationId: x, parameters: [{ name: a, in: query, schema: ${schema} }], responses: { 204: { description: x } } }\n`;
    const message = /may take exponential or polynomial time: simplify it, or add a maxLength/;
    const parse = (schema: string) => parseDocument(documentOf(paths(schema)), { strict: true });
    await t.rejects(parse('{ type: string, pattern: "^(a+)\\\\1$" }'), { message });
    await t.rejects(parse('{ patternProperties: { "^(a+)\\\\1$": {} } }'), { message });
    const { send } = await serve(documentOf(paths('{ type: string, pattern: "^(a+)+$" }')));
    t.match(await send("GET", `/x?a=${"a".repeat(5_000)}!`), { status: 400 });
    t.match(await send("GET", `/x?a=${"a".repeat(5_000)}`), { status: 204 });
  },
);

t.test("Without strict, an expression that can take too long is not evaluated", async (t) => {
  const reports: string[] = [];
  const schema = { pattern: "^(a+)\\1$", patternProperties: { "^(a+)\\1$": { type: "integer" } } };
  const validate = compileSchema(schema, { report: (_rule, _pointer, reason) => reports.push(reason) });
  t.match(validate("b"), { value: "b" });
  t.match(validate({ aa: "x" }), { value: { aa: "x" } });
  t.equal(reports.length, 2);
});
