// JSON with exact integers.
import fc from "fast-check";
import t from "tap";
import { canonicalJson, parseInteger, parseJson, toJson } from "../../src/lib/json.ts";
import { InvalidValue } from "../../src/lib/problem.ts";

t.test("A bug is not reported as an invalid text", async (t) => {
  t.throws(() => parseJson(undefined as never), TypeError);
});

t.test("Parses integers exactly, also with a fraction or an exponent", async (t) => {
  for (const [text, value] of [
    ["0", 0],
    ["-0", -0],
    ["-0.0e5", 0],
    ["1.0", 1],
    ["1e2", 100],
    ["1200e-2", 12],
    ["0.5", 0.5],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740993", 9_007_199_254_740_993n],
    ["-9223372036854775808", -9_223_372_036_854_775_808n],
    ["9223372036854775.807e3", 9_223_372_036_854_775_807n],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["1e30", 1e30],
  ] as const)
    t.strictSame(parseJson(`{"a":[${text}]}`), { a: [value] }, text);
  for (const text of ["1e400", "-1e400", "1e1000000", `1${"0".repeat(400)}`, "[{}, 1E309]"])
    t.throws(() => parseJson(text), { message: /^is not valid JSON: the number .* is too large$/ }, text);
  const message = "is not valid JSON: the number 9007199254740993.5 can't be represented exactly";
  t.throws(() => parseJson("9007199254740993.5"), new InvalidValue(message));
});

t.test("Parses any JSON, and serializes it to the same text", async () => {
  const texts = fc.jsonValue().map((value) => JSON.stringify(value));
  fc.assert(fc.property(texts, (text) => toJson(parseJson(text)) === text));
});

t.test("Rejects text that other parsers may read differently", async (t) => {
  for (const [text, message] of [
    ['{"a":1,"a":2}', /same name twice/],
    ['[{"b":{"a":1,"\\u0061":1}}]', /same name twice/],
    ['"\\ud800"', /a lone surrogate/],
    ['{"\\udc00":1}', /a lone surrogate/],
    ["[1,]", /JSON/],
  ] as const)
    t.throws(() => parseJson(text), { message }, text);
  t.same(parseJson('{"a":"\\"a\\":","b":{"a":1}}'), { a: '"a":', b: { a: 1 } }, "names in strings and other objects");
});

t.test("Serializes what it parsed, with each integer exact", async (t) => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(fc.property(integer, (value) => toJson(parseJson(`{"id":${value}}`)) === `{"id":${value}}`));
  fc.assert(fc.property(integer, (value) => BigInt(parseInteger(`${value}`)) === value));
  t.equal(toJson([2n ** 63n], 2), "[\n  9223372036854775808\n]");
});

t.test("Serializes equal values to the same canonical text", async (t) => {
  t.equal(canonicalJson({ b: 1, a: [{ d: null, c: 2n }] }), '{"a":[{"c":"2n","d":null}],"b":1}');
  t.equal(canonicalJson(parseJson('{"x":1.0,"y":2}')), canonicalJson(parseJson('{"y":2,"x":1}')));
  t.not(canonicalJson([1, 2]), canonicalJson([2, 1]));
  t.equal(canonicalJson({ b: 1, a: { toString: 1 } }), '{"a":{"toString":1},"b":1}', "sorts by name, not by value");
});
