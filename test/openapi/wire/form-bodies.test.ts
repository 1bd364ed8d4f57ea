// Bodies of the media type application/x-www-form-urlencoded.
import t from "tap";
import { readForm } from "../../../src/openapi/wire/form-bodies.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const { app, calls, send } = await serve(
  documentOf(`
  /plain:
    post:
      operationId: plain
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              properties:
                text: { type: string, maxLength: 9 }
                count: { type: integer, maximum: 9 }
                ratio: { type: [number, "null"] }
                on: { type: boolean, default: false }
                tags: { type: array, items: { type: string } }
                ids: { type: array, items: { type: integer }, maxItems: 3 }
                point: { type: object, required: [x], properties: { x: { type: integer } } }
      responses: { 204: { description: Done } }
  /styled:
    post:
      operationId: styled
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              additionalProperties: false
              properties:
                comma: { type: array, items: { type: integer } }
                space: { type: array, items: { type: integer } }
                pipe: { type: array, items: { type: string } }
                deep: { type: object, properties: { a: { type: integer }, b: { type: array, items: { type: string } } } }
                flat: { type: object, properties: { p: { type: integer }, q: { type: string } } }
                pairs: { type: object, properties: { k: { type: integer } } }
                json: { type: string }
            encoding:
              comma: { explode: false }
              space: { style: spaceDelimited }
              pipe: { style: pipeDelimited, explode: false }
              deep: { style: deepObject, explode: true }
              flat: { explode: true }
              pairs: { style: form, explode: false }
              json: { contentType: application/json }
      responses: { 204: { description: Done } }
  /typed:
    post:
      operationId: typed
      requestBody:
        content:
          application/x-www-form-urlencoded: { schema: { type: object, additionalProperties: { type: integer } } }
      responses: { 204: { description: Done } }
  /closed:
    post:
      operationId: closed
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, required: [a], additionalProperties: false, properties: { a: {} } }
      responses: { 204: { description: Done } }`),
);
t.teardown(() => app.close());

const post = async (path: string, payload: string | Buffer) => {
  calls.length = 0;
  const headers = { "content-type": "application/x-www-form-urlencoded", "transfer-encoding": "chunked" };
  const { status, body } = await send("POST", path, { payload, headers });
  return status < 300 ? calls[0]?.body : [status, (body as { message: string }).message];
};
const off = { on: false };

t.test("Reads the fields of a form by their schemas", async (t) => {
  for (const [payload, expected] of [
    ["", off],
    ["text=a+b%20c%2Bd&on=true", { text: "a b c+d", on: true }],
    ["text=%C3%BC", { ...off, text: "ü" }],
    ["text=5", { ...off, text: "5" }],
    ["text=", { ...off, text: "" }],
    ["text", { ...off, text: "" }],
    ["&&text=a=b&", { ...off, text: "a=b" }],
    ["count=5&ratio=-1.5e1", { ...off, count: 5, ratio: -15 }],
    ["tags=a&tags=b%2Cc", { ...off, tags: ["a", "b,c"] }],
    ["ids=1", { ...off, ids: [1] }],
    ["ids=1&text=x&ids=2", { ...off, text: "x", ids: [1, 2] }],
    ["point=%7B%22x%22%3A1%7D", { ...off, point: { x: 1 } }],
    ["point[x]=1", { ...off, point: { x: 1 } }],
    ["other=1&more=a&more=b", { ...off, other: "1", more: ["a", "b"] }],
    ["__proto__=1&constructor=2", { ...off, constructor: "2", ["__proto__"]: "1" }],
  ] as const)
    t.same(await post("/plain", payload), expected, payload);
  t.same(await post("/typed", "a=1&b=2"), { a: 1, b: 2 });
});

t.test("Rejects fields that do not match their schemas, and names them", async (t) => {
  for (const [path, payload, message] of [
    ["/plain", "count=x", "The field 'count' must be an integer."],
    ["/plain", "count=", "The field 'count' must be an integer."],
    ["/plain", "count=0x1", "The field 'count' must be an integer."],
    ["/plain", "count=10", "The field 'count' must be at most 9."],
    ["/plain", "on=1", "The field 'on' must be a boolean."],
    ["/plain", "text=0123456789", "The field 'text' must have at most 9 characters."],
    ["/plain", "ids=1&ids=x", "The field 'ids.1' must be an integer."],
    ["/plain", "ids=1&ids=2&ids=3&ids=4", "The field 'ids' must have at most 3 items."],
    ["/plain", "text=a&text=b", "The body has the invalid field 'text': it must be given once, not 2 times."],
    ["/plain", "point={}&point={}", "The body has the invalid field 'point': it must be given once, not 2 times."],
    ["/plain", "point={}", "The field 'point' must have the field 'x'."],
    ["/plain", "point={x}", /^The body has the invalid field 'point': it is not valid JSON: /],
    ["/plain", "point=%zz", /^The body has the invalid field 'point': it is not valid JSON: /],
    ["/plain", `point=${"[".repeat(100_000)}`, /^The body has the invalid field 'point': it is not valid JSON: /],
    ["/plain", `point=${'{"x":'.repeat(50_000)}1${"}".repeat(50_000)}`, /point/],
    ["/plain", "point[x=1", "The body has the invalid field 'point': it must have properties such as point[property]."],
    ["/typed", "a=1&b=x", "The field 'b' must be an integer."],
    ["/typed", "a=1&a=2", "The field 'a' must be an integer."],
    ["/closed", "a=1&b=2", "The body has the unknown field 'b'. Known fields: a."],
    ["/closed", "b", /^The body must have the field 'a'|^The body has the unknown field 'b'/],
    ["/closed", Buffer.from([0x61, 0x3d, 0xff]), "The body must be encoded in UTF-8."],
  ] as const) {
    const [status, text] = (await post(path, payload)) as [number, string];
    t.equal(status, 400, `${payload}`.slice(0, 60));
    t.match(text, message);
  }
});

t.test("Keeps percent signs that encode nothing", async (t) => {
  for (const [payload, text] of [
    ["text=100%", "100%"],
    ["text=%zz", "%zz"],
    ["text=%C3", "%C3"],
    ["text=%00", "\0"],
  ] as const)
    t.same(await post("/plain", payload), { ...off, text });
});

t.test("Reads fields in the styles of their encoding", async (t) => {
  for (const [payload, expected] of [
    ["comma=1,2", { comma: [1, 2] }],
    ["space=1+2%203", { space: [1, 2, 3] }],
    ["pipe=a|b%7Cc", { pipe: ["a", "b", "c"] }],
    ["deep[a]=1&deep[b]=x&deep[b]=y", { deep: { a: 1, b: ["x", "y"] } }],
    ["p=1&q=a", { flat: { p: 1, q: "a" } }],
    ["pairs=k,5", { pairs: { k: 5 } }],
    ["json=%22x%22", { json: "x" }],
  ] as const)
    t.same(await post("/styled", payload), expected, payload);
  for (const [payload, message] of [
    ["comma=1&comma=2", "The body has the invalid field 'comma': it must be given once, not 2 times."],
    ["json=x", /^The body has the invalid field 'json': it is not valid JSON/],
    ["json=1", "The field 'json' must be a string."],
    ["p=x", "The field 'flat.p' must be an integer."],
    [
      "pairs=k",
      "The body has the invalid field 'pairs': it must have a value for each property, such as property,value.",
    ],
    ["r=1", /^The body has the unknown field 'r'/],
  ] as const)
    t.match(await post("/styled", payload), [400, message], payload);
});

t.test("Reads a form with many fields in linear time", async (t) => {
  const time = async (count: number) => {
    const payload = Array.from({ length: count }, (_, index) => `f${index}=`).join("&");
    const start = performance.now();
    await post("/plain", payload);
    return performance.now() - start;
  };
  await time(20_000);
  t.ok((await time(80_000)) < 2_000);
});

t.test("A form can be empty", async (t) => {
  const form = "application/x-www-form-urlencoded";
  const { send, calls } = await serve(
    documentOf(
      ["[]", "[name]"]
        .map(
          (required, index) => `
  /${index}:
    post:
      operationId: a${index}
      requestBody: { content: { ${form}: { schema: { type: object, required: ${required} } } } }
      responses: { 204: { description: x } }`,
        )
        .join(""),
    ),
  );
  const headers = { "content-type": form, "content-length": "0" };
  t.match(await send("POST", "/0", { headers }), { status: 204 });
  t.match(await send("POST", "/1", { headers }), { status: 400, body: { message: /must have the field 'name'/ } });
  t.match(await send("POST", "/1"), { status: 204 }, "no form at all");
  t.match(calls, [{ body: {} }, { body: undefined }]);
});

t.test("A body of another type that is empty is none, unless it is required", async (t) => {
  const { send } = await serve(
    documentOf(
      [false, true]
        .map(
          (required, index) => `
  /${index}:
    post:
      operationId: a${index}
      requestBody: { required: ${required}, content: { application/json: { schema: {} } } }
      responses: { 204: { description: x } }`,
        )
        .join(""),
    ),
  );
  const headers = { "content-type": "application/json", "content-length": "0" };
  t.match(await send("POST", "/0", { headers }), { status: 204 });
  t.match(await send("POST", "/1", { headers }), { status: 400, body: { message: "The request must have a body." } });
});

t.test("Does not blame the client for a bug", async (t) => {
  const shape = {
    propertyNames: ["a"],
    property() {
      throw new TypeError("a bug");
    },
  };
  t.throws(() => readForm("a=1", { shape: shape as never, parts: {} }), { name: "TypeError" });
});
