// Bodies of the media type multipart/form-data.
import t from "tap";
import { Shape } from "../../../src/openapi/schema/shape.ts";
import { readMultipart } from "../../../src/openapi/wire/form-bodies.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const { app, calls, send } = await serve(
  documentOf(`
  /files:
    post:
      operationId: files
      requestBody:
        x-max-bytes: 200000
        content:
          multipart/form-data:
            schema:
              type: object
              additionalProperties: false
              properties:
                title: { type: string, maxLength: 5 }
                count: { type: integer }
                ids: { type: array, items: { type: integer } }
                meta: { type: object, required: [x], properties: { x: { type: integer } } }
                metas: { type: array, items: { type: object } }
                avatar: { type: string, format: binary, minLength: 1, maxLength: 20 }
                photo: { type: string, contentMediaType: image/png }
                photos: { type: array, maxItems: 2, items: { type: string, format: binary } }
                scan: { type: string }
                note: { type: string }
                any: {}
                level: { type: integer, default: 3 }
            encoding:
              avatar: { contentType: "image/png, image/gif" }
              photos: { contentType: image/* }
              scan: { contentType: application/pdf }
              note: { contentType: text/plain }
              meta: { contentType: application/json }
      responses: { 204: { description: Done } }
  /open:
    post:
      operationId: open
      requestBody:
        content: { multipart/form-data: { schema: { type: object } } }
      responses: { 204: { description: Done } }
  /untyped:
    post:
      operationId: untyped
      requestBody:
        content: { multipart/form-data: { schema: {} } }
      responses: { 204: { description: Done } }`),
);
t.teardown(() => app.close());

type Part = readonly [name: string, content: string | Buffer, type?: string, filename?: string];

/** Writes a body of the boundary `b`. */
function write(parts: readonly Part[]): Buffer {
  const chunks = parts.flatMap(([name, content, type, filename]) => [
    `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n`,
    type === undefined ? "\r\n" : `Content-Type: ${type}\r\n\r\n`,
    content,
    "\r\n",
  ]);
  return Buffer.concat([...chunks, "--b--\r\n"].map((chunk) => Buffer.from(chunk)));
}

async function post(payload: Buffer | string, path = "/files", type = "multipart/form-data; boundary=b") {
  calls.length = 0;
  const response = await send("POST", path, { payload, headers: { "content-type": type } });
  const { status, body } = response;
  return status < 300 ? (calls[0]?.body as Record<string, unknown>) : [status, (body as { message: string }).message];
}

t.test("Reads fields and files", async (t) => {
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 99, 10]);
  const form = (await post(
    write([
      ["title", "ü"],
      ["count", "5"],
      ["meta", '{"x":1}', "application/json"],
      ["avatar", bytes, "image/png", "me.png"],
    ]),
  )) as Record<string, unknown>;
  const { avatar, ...others } = form;
  t.same(others, { title: "ü", count: 5, meta: { x: 1 }, level: 3 });
  t.ok(avatar instanceof File);
  const { name, type, size } = avatar as File;
  t.same([name, type, size], ["me.png", "image/png", bytes.length]);
  t.same(Buffer.from(await (avatar as File).arrayBuffer()), bytes);
});

t.test("Reads repeated fields as arrays", async (t) => {
  const form = await post(
    write([
      ["ids", "1"],
      ["ids", "2"],
      ["metas", '{"y":1}', "application/json", "blob"],
      ["photos", "a", "image/png", "a.png"],
      ["photos", "bc", "image/gif", "b.gif"],
    ]),
  );
  t.match(form, { ids: [1, 2], metas: [{ y: 1 }], level: 3 });
  const photos = (form as { photos: File[] }).photos;
  t.same(await Promise.all(photos.map(async (file) => [file.name, await file.text()])), [
    ["a.png", "a"],
    ["b.gif", "bc"],
  ]);
  t.match(await post(write([["photos", "a", "image/png", "a.png"]])), { photos: [{ name: "a.png" }] }, "one file");
});

t.test("Validates fields, whether they have a file name or not", async (t) => {
  for (const [part, status, message] of [
    [["title", "123456"], 400, "The field 'title' must have at most 5 characters."],
    [["title", "123456", "text/plain", "x"], 400, "The field 'title' must have at most 5 characters."],
    [["title", Buffer.from([255]), "text/plain", "x"], 400, "The body must be encoded in UTF-8."],
    [["count", "x"], 400, "The field 'count' must be an integer."],
    [["ids", "x"], 400, "The field 'ids.0' must be an integer."],
    [["meta", "{x"], 400, /^The body has the invalid field 'meta': it is not valid JSON/],
    [["meta", "{}"], 400, "The field 'meta' must have the field 'x'."],
    [["other", "1"], 400, /^The body has the unknown field 'other'/],
    [["other", "1", "image/png", "x"], 400, /^The body has the unknown field 'other'/],
    [["title", "x", "text/plain; charset=latin1"], 415, "The charset of the Content-Type must be UTF-8."],
    [["avatar", "x"], 415, "The field 'avatar' must have the Content-Type image/png or image/gif."],
    [["scan", "x"], 415, "The field 'scan' must have the Content-Type application/pdf."],
    [["avatar", "x", "image/jpeg", "x"], 415, "The field 'avatar' must have the Content-Type image/png or image/gif."],
    [["photos", "x", "text/html", "x"], 415, "The field 'photos' must have the Content-Type image/*."],
    [["avatar", "", "image/png", "x"], 400, "The field 'avatar' must have at least one character."],
    [["avatar", "x".repeat(21), "image/png", "x"], 400, "The field 'avatar' must have at most 20 characters."],
    [["meta", '{"x":1}', "text/html", "x"], 415, "The field 'meta' must have the Content-Type application/json."],
  ] as const)
    t.match(await post(write([part as Part])), [status, message], `${part}`);
  for (const [part, expected] of [
    [["title", "12345", "text/plain", "x.txt"], { title: "12345" }],
    [["count", "7", "text/plain", "x.txt"], { count: 7 }],
    [["note", "hi"], { note: "hi" }],
    [["any", "text"], { any: "text" }],
    [["any", "text", "a/b", "x"], { any: { name: "x" } }],
    [["scan", "x", "application/pdf", "x.pdf"], { scan: { size: 1 } }],
    [["meta", '{"x":1}'], { meta: { x: 1 } }],
    [["photo", "x"], { photo: { name: "", size: 1, type: "text/plain" } }],
    [["any", "x", "a/b"], { any: "x" }],
    [["photo", "", "image/gif", "x"], { photo: { size: 0 } }],
  ] as const)
    t.match(await post(write([part as Part])), expected, `${part}`);
});

t.test("Reads fields that the document does not describe", async (t) => {
  for (const path of ["/open", "/untyped"])
    t.match(
      await post(
        write([
          ["a", "1"],
          ["b", "2", "a/b", "f"],
        ]),
        path,
      ),
      { a: "1", b: { name: "f" } },
    );
  const encoding = { shape: Shape.any, parts: {} };
  const fields = await readMultipart(write([["a", "1"]]), "multipart/form-data; boundary=b", encoding, () => {});
  t.same(fields, { a: "1" }, "no schema");
  const form = await post(write([["__proto__", "1"]]), "/open");
  t.same(Object.entries(form), [["__proto__", "1"]]);
});

t.test("Rejects a field that is given twice, unless it is an array", async (t) => {
  const message = "The body has the invalid field 'title': it must be given once, not 2 times.";
  const twice = [
    ["title", "a"],
    ["title", "b"],
  ] as Part[];
  t.same(await post(write(twice)), [400, message]);
  t.match(await post(write(Array(3).fill(["photos", "x", "image/png", "x"]))), [
    400,
    /'photos' must have at most 2 items/,
  ]);
});

t.test("Rejects malformed bodies", async (t) => {
  const valid = write([["title", "a"]]);
  for (const [payload, type] of [
    [valid, "multipart/form-data"],
    [valid, "multipart/form-data; boundary="],
    [valid, "multipart/form-data; boundary=c"],
    [valid, `multipart/form-data; boundary=${"b".repeat(500)}`],
    [valid.subarray(0, -5), undefined],
    [" ", undefined],
    ["--b\r\nContent-Disposition: form-data; name=a\r\nx\r\n\r\nx\r\n--b--", undefined],
    ["--b\r\nContent-Disposition: form-data; name=a\r\nA: 1\r\na: 2\r\n\r\nx\r\n--b--", undefined],
    ["--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nx\r\n--b--", undefined],
    ["--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--", undefined],
    ["--b\r\nContent-Disposition: form-data; =a\r\n\r\nx\r\n--b--", undefined],
    ["--b\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--b--", undefined],
    ["--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--bc", undefined],
    ["--b", undefined],
    ["--b\r\n\r\n\r\n--b--\r\n", undefined],
    ["--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n", undefined],
    ['--b\r\nContent-Disposition: form-data; name="a\r\n\r\nx\r\n--b--\r\n', undefined],
    ["\0".repeat(1_000), undefined],
  ] as const) {
    const headers = {
      "content-type": type ?? "multipart/form-data; boundary=b",
      "content-length": `${payload.length}`,
    };
    const { status, body } = await send("POST", "/files", { payload: payload as Buffer, headers });
    t.match([status, body], [400, { code: "invalid_body", message: /^The body must be multipart\/form-data/ }]);
  }
});

t.test("Reads every form of parts that RFC 2046 and RFC 7578 allow", async (t) => {
  const part = (disposition: string, head = "") => `--b\r\n${head}content-disposition:${disposition}\r\n\r\nx`;
  for (const [payload, expected] of [
    ["--b--", {}],
    [`preamble\r\n${part(" form-data; name=a")}\r\n--b--\r\nepilogue`, { a: "x" }],
    [`${part(" form-data; name=a", "x-y: z\r\n")}\r\n--b-- `, { a: "x" }],
    [`${part('FORM-DATA ; NAME="a;b"').replace("--b", "--b \t")}\r\n--b--`, { "a;b": "x" }],
    [`${part(String.raw` form-data; name="a\"b\c%22%0A%zz"`)}\r\n--b--`, { 'a"b\\c"\n%zz': "x" }],
    [`${part(' form-data; name=""')}\r\n--b--`, { "": "x" }],
    [`${part(" form-data; name=ü; filename*=x")}\r\n--b--`, { ü: "x" }],
    ["--b\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n--b--", { a: "" }],
  ] as const)
    t.same(await post(Buffer.from(payload), "/open"), expected, JSON.stringify(payload));
  for (const boundary of ["a", "x".repeat(70), "'()+_,-./:=?"]) {
    const payload = write([["a", "1"]])
      .toString()
      .replaceAll("--b", `--${boundary}`);
    t.same(await post(payload, "/open", `Multipart/Form-Data; boundary="${boundary}"`), { a: "1" });
  }
});

t.test("Rejects a body that exceeds its limit", async (t) => {
  const file = (size: number) => write([["photo", Buffer.alloc(size), "image/png", "x"]]);
  t.match(await post(file(150_000)), { photo: { size: 150_000 } });
  t.same(await post(file(200_000)), [413, "The body exceeds the limit of 200000 bytes."]);
});

t.test("Reads a form with many fields in linear time", async (t) => {
  const form = (count: number) => write(Array.from({ length: count }, (_, index): Part => [`f${index}`, ""]));
  await post(form(100), "/open");
  const start = performance.now();
  t.equal(Object.keys(await post(form(15_000), "/open")).length, 15_000);
  for (const piece of ["\r\n", "--b", "\r\n--b ", "--b\r\n", '\\"', "; a="]) {
    t.match(await post(`--b\r\n${piece.repeat(50_000)}`, "/open"), [400]);
    const name = `--b\r\ncontent-disposition: form-data; name="${piece.repeat(50_000)}\r\n\r\n\r\n--b--`;
    t.match(await post(name, "/open"), [400]);
  }
  t.ok(performance.now() - start < 2_000);
});

t.test("A part of a field without a type, or with bytes in an alternative, can be a file", async (t) => {
  const schema =
    "{ properties: { any: {} }, oneOf: [{ required: [f], properties: { f: { type: string, format: binary } } }, { required: [url], properties: { url: { type: string } } }] }";
  const { send, calls } = await serve(
    documentOf(
      `  /x: { post: { operationId: x, requestBody: { content: { multipart/form-data: { schema: ${schema} } } }, responses: { 204: { description: x } } } }`,
    ),
  );
  const part = (name: string, type: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;
  const bytes = Buffer.from(
    `${part("any", "application/octet-stream", "\xff")}${part("f", "text/plain", "a")}--b--\r\n`,
    "latin1",
  );
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  t.match(await send("POST", "/x", { headers, payload: bytes }), { status: 204 });
  t.match(calls, [{ body: { any: File, f: File } }]);
});

t.test("Asks for room in memory for each text of a form, and not for files", async (t) => {
  const admitted: string[] = [];
  const body = write([
    ["json", '{"a":[{}]}'],
    ["file", "content", "image/png", "a.png"],
    ["text", "b"],
  ]);
  const encoding = { shape: Shape.any, parts: {} };
  const admit = (text: Buffer) => void admitted.push(String(text));
  await readMultipart(body, "multipart/form-data; boundary=b", encoding, admit);
  t.same(admitted, ['{"a":[{}]}', "b"]);
  const reject = async () => {
    throw new Error("no room");
  };
  await t.rejects(readMultipart(body, "multipart/form-data; boundary=b", encoding, reject), { message: "no room" });
});
