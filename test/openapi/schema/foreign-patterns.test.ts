// Regular expressions in the syntax of other languages mean what their authors mean, for short and for long texts.
import t from "tap";
import { findForeignSyntax, translatePattern } from "../../../src/openapi/schema/texts/foreign-patterns.ts";
import { compilePattern } from "../../../src/openapi/schema/texts/regular-expressions.ts";

t.test("Translates what can mean only one thing", async (t) => {
  for (const [pattern, valid, invalid] of [
    ["\\A([a-z]+\\.)+[a-z]+\\Z", "a.example", "Aa.exampleZ"],
    ["\\A[a-z]+\\z", "abc", "Aabcz"],
    ["^[[:alpha:]]+$", "ab", "a1"],
    ["^[^[:space:][:punct:]]+$", "a1", "a b"],
    ["^[[:xdigit:]_]{2}$", "_f", "_g"],
    ["(?i)^abc$", "aBC", "abd"],
    ["(?is)^a.c$", "A\nC", "a\n\nc"],
    ["^(?P<year>\\d{4})$", "2024", "24"],
    ["/^a$/", "a", "b"],
    ["/^A\\/b$/i", "a/B", "a"],
    ["^\\pL+\\PN$", "éa", "1"],
    ["^a\\hb$", "a\tb", "ahb"],
    ["^[\\h]$", " ", "h"],
    ["^[]a]+$", "]a", "b"],
    ["^\\x{41}{,2}$", "AA", "AAA"],
    ["^[\\p{L}\\_\\:]+$", "äb_:", "p{L}"],
  ] as const) {
    const compiled = compilePattern(pattern);
    t.ok(compiled.test(valid), `${pattern} ${valid}`);
    t.notOk(compiled.test(invalid), `${pattern} ${invalid}`);
    t.equal(findForeignSyntax(pattern), undefined, pattern);
  }
});

t.test("Leaves ECMAScript as it is", async (t) => {
  for (const pattern of [
    "/abc/",
    "^/a$",
    "a/",
    "^[/]$",
    "\\d\\w\\s\\b\\B\\D\\W\\S",
    "[\\b\\]\\-^]",
    "^\\[:alpha:\\]$",
    "[:alpha:]",
    "(?<x>a)\\k<x>",
    "(?:a)(?=b)(?!c)(?<=a)(?<!b)",
    "\\u00e9\\x41\\cA\\0\\n\\r\\t\\v\\f",
    "\\p{L}\\P{Script=Greek}",
    "\\/\\.",
    "\\\\A",
    "\\\\\\\\Z",
    "[A-Z]",
    "(a)\\1",
  ]) {
    t.same(translatePattern(pattern), { source: pattern, flags: "" }, pattern);
    t.equal(findForeignSyntax(pattern), undefined, pattern);
  }
});

t.test("Names what V8 would read as something else", async (t) => {
  for (const [pattern, part] of [
    ["\\p{Punct}", /\\p\{Punct\}: write a property of Unicode/],
    ["^\\p{IsLatin}$", /IsLatin/],
    ["^\\i+$", /\\i: write i for the letter/],
    ["\\Qa.b\\E", /\\Q/],
    ["[[:foo:]]", /\[:foo:\]: list the characters/],
    ["\\Ga", /\\G/],
  ] as const)
    t.match(findForeignSyntax(pattern), part, pattern);
});

t.test("RE2 reads a long text as V8 reads a short one", async (t) => {
  const long = "a.".repeat(20_000);
  for (const [pattern, valid, invalid] of [
    ["\\A([a-z]+\\.)+[a-z]+\\Z", `${long}a`, `${long}1`],
    ["(?i)^([a-z]+\\.)+[a-z]+$", `${long}A`, `${long}1`],
    ["(?s)^(?:[a-z.]+\\n?)+.$", `${long}\n${long}\n`, `${long}1\n2`],
    ["^([[:lower:]]+\\.)+[[:lower:]]+$", `${long}a`, `${long}A`],
  ] as const) {
    const start = performance.now();
    const compiled = compilePattern(pattern);
    t.same([compiled.test(valid), compiled.test(invalid)], [true, false], pattern);
    t.ok(performance.now() - start < 1_000);
  }
});
