// JSON Patch (RFC 6902): the operations, JSON pointers (RFC 6901), and the limits of what a patch makes.
import t, { type Test } from "tap";
import { parseJson, toJson } from "../../src/lib/index.ts";
import { applyJsonPatch, type PatchError } from "../../src/resources/records/requests/json-patch.ts";

const apply = (value: string, patch: string) => toJson(applyJsonPatch(parseJson(value), parseJson(patch)));

// The value, the patch, and the result.
const vectors: readonly (readonly [value: string, patch: string, result: string])[] = [
  ["{}", "[]", "{}"],
  ['{"foo":1}', '[{"op":"add","path":"/bar","value":[1]}]', '{"foo":1,"bar":[1]}'],
  ['{"foo":null}', '[{"op":"add","path":"/foo","value":1}]', '{"foo":1}'],
  ['{"foo":["a","c"]}', '[{"op":"add","path":"/foo/1","value":"b"}]', '{"foo":["a","b","c"]}'],
  ['["a"]', '[{"op":"add","path":"/1","value":"b"}]', '["a","b"]'],
  ['["a"]', '[{"op":"add","path":"/-","value":["b"]}]', '["a",["b"]]'],
  ['{"":1}', '[{"op":"replace","path":"/","value":2}]', '{"":2}'],
  ['{"foo":1}', '[{"op":"add","path":"","value":[1]}]', "[1]"],
  ['{"foo":1}', '[{"op":"replace","path":"","value":{"bar":2}}]', '{"bar":2}'],
  ['{"foo":1,"bar":[1,2]}', '[{"op":"remove","path":"/bar/0"},{"op":"remove","path":"/foo"}]', '{"bar":[2]}'],
  ['{"a":{"b":1},"c":[9]}', '[{"op":"move","from":"/a/b","path":"/c/0"}]', '{"a":{},"c":[1,9]}'],
  ['["a","b","c"]', '[{"op":"move","from":"/2","path":"/0"}]', '["c","a","b"]'],
  ['{"a":1}', '[{"op":"move","from":"/a","path":"/a"}]', '{"a":1}'],
  ['{"a":1,"ab":{}}', '[{"op":"move","from":"/a","path":"/ab/c"}]', '{"ab":{"c":1}}'],
  [
    '{"a":{"k":1}}',
    '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/n","value":2}]',
    '{"a":{"k":1},"b":{"k":1,"n":2}}',
  ],
  [
    '{"a":1}',
    '[{"op":"copy","from":"","path":"/self"},{"op":"add","path":"/b","value":2}]',
    '{"a":1,"self":{"a":1},"b":2}',
  ],
  [
    '{"a/b":1,"m~n":2,"~1":3}',
    '[{"op":"remove","path":"/a~1b"},{"op":"replace","path":"/m~0n","value":0},{"op":"test","path":"/~01","value":3}]',
    '{"m~n":0,"~1":3}',
  ],
  [
    '{"n":9007199254740993}',
    '[{"op":"test","path":"/n","value":9007199254740993},{"op":"copy","from":"/n","path":"/m"}]',
    '{"n":9007199254740993,"m":9007199254740993}',
  ],
  [
    '{"a":{"x":[1,{"y":null}],"z":0}}',
    '[{"op":"test","path":"/a","value":{"z":-0,"x":[1.0,{"y":null}]}}]',
    '{"a":{"x":[1,{"y":null}],"z":0}}',
  ],
  [
    '{"a":1}',
    '[{"op":"add","path":"/__proto__","value":{"x":1}},{"op":"test","path":"/__proto__/x","value":1}]',
    '{"a":1,"__proto__":{"x":1}}',
  ],
  ['{"op":1}', '[{"op":"add","path":"/a","value":null,"from":"/x","extra":true}]', '{"op":1,"a":null}'],
];

t.test("applies the operations of a patch in their order", async (t) => {
  for (const [value, patch, result] of vectors) t.equal(apply(value, patch), result, patch);
});

const fails = (t: Test, value: string, patch: string, reason: string, message: RegExp) =>
  t.throws(() => apply(value, patch), { reason, message } as unknown as PatchError, patch.slice(0, 80));

t.test("rejects what RFC 6902 does not allow, with the operation and the reason", async (t) => {
  const value = '{"a":[1,2],"o":{"k":1},"s":"text"}';
  for (const [patch, message] of [
    ['{"op":"add"}', /it is no array of operations/],
    ["[7]", /operation 1 has a path that is no JSON pointer/],
    ['[{"op":"test","path":"/s","value":"text"},{"op":"spam","path":"/a"}]', /operation 2 has no op of add, remove/],
    ['[{"path":"/a"}]', /has no op of/],
    ['[{"op":"add","path":"a","value":1}]', /no JSON pointer/],
    ['[{"op":"add","path":"/m~2","value":1}]', /no JSON pointer/],
    ['[{"op":"copy","path":"/x"}]', /has a from that is no JSON pointer/],
    ['[{"op":"add","path":"/x"}]', /has no value/],
    ['[{"op":"test","path":"/s"}]', /has no value/],
    ['[{"op":"add","path":"/x/y","value":1}]', /needs \/x, which does not exist/],
    ['[{"op":"add","path":"/s/y","value":1}]', /needs \/s\/y, which does not exist/],
    ['[{"op":"add","path":"/a/3","value":1}]', /needs \/a\/3/],
    ['[{"op":"add","path":"/a/01","value":1}]', /needs \/a\/01/],
    ['[{"op":"replace","path":"/a/-","value":1}]', /needs \/a\/-/],
    ['[{"op":"replace","path":"/a/1e0","value":1}]', /needs \/a\/1e0/],
    ['[{"op":"replace","path":"/a/length","value":1}]', /needs \/a\/length/],
    ['[{"op":"replace","path":"/x","value":1}]', /needs \/x/],
    ['[{"op":"remove","path":"/o/toString"}]', /needs \/o\/toString/],
    ['[{"op":"remove","path":""}]', /removes the whole value/],
    ['[{"op":"copy","from":"/#s","path":"/x"}]', /needs \/#s/],
    ['[{"op":"move","from":"/o","path":"/o/k"}]', /moves \/o into itself/],
    ['[{"op":"move","from":"","path":"/o"}]', /moves the whole value into itself/],
  ] as const)
    fails(t, value, patch, "invalid", message);
  for (const other of ["[1,2,3]", "[2,1]", '{"0":1,"1":2}', "null", '"1,2"'])
    fails(t, value, `[{"op":"test","path":"/a","value":${other}}]`, "test", /operation 1 finds another value at \/a/);
  for (const other of ["{}", '{"k":1,"l":2}', '{"l":1}', '{"k":"1"}'])
    fails(t, value, `[{"op":"test","path":"/o","value":${other}}]`, "test", /another value at \/o/);
});

t.test("limits the operations, the copies, the depth and the time of a patch", async (t) => {
  const add = (count: number, path: string) => toJson(Array(count).fill({ op: "add", path, value: 1 }));
  t.equal(apply("{}", add(1_000, "/a")), '{"a":1}');
  fails(t, "{}", add(1_001, "/a"), "invalid", /at most 1000 operations, and has 1001/);
  const doubling = [
    { op: "add", path: "/t", value: "x".repeat(300_000) },
    ...Array(20).fill({ op: "copy", from: "", path: "/t" }),
  ];
  fails(t, "{}", toJson(doubling), "size", /copies more than 4 Mi characters/);
  const nest = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const deepen = (levels: number) => `[{"op":"add","path":"${"/0".repeat(899)}/-","value":${nest(levels)}}]`;
  t.ok(apply(nest(900), deepen(100)));
  fails(t, nest(900), deepen(101), "invalid", /its result is nested too deeply/);
  const moves = Array(1_000).fill({ op: "add", path: "/0", value: 1 });
  const long = Array(500_000).fill(1);
  t.throws(() => applyJsonPatch(long, moves), /take too long/);
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [index, 1]));
  const others = { ...many, more: 1 };
  const tests = Array(1_000).fill({ op: "test", path: "", value: many });
  const failed = (reason: string) => ({ reason }) as unknown as PatchError;
  t.throws(() => applyJsonPatch(others, tests), failed("test"));
  t.throws(() => applyJsonPatch(many, tests), failed("size"));
});
