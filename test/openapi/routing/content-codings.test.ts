// Bodies in content codings: decoded within the limit of their size, or refused.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import zlib from "node:zlib";
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

const encoders = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
} as const;

const operation = (id: string, content: string, rest = "") =>
  `  /${id}: { post: { operationId: ${id}, requestBody: { required: true, ${rest} content: { ${content} } }, responses: { 204: { description: x } } } }`;

const streamed: string[] = [];
const { app, send, calls } = await serve(
  documentOf(
    [
      operation("json", "application/json: { schema: { type: object, properties: { a: { type: integer } } } }"),
      operation("small", "application/json: { schema: {} }", "x-max-bytes: 1000,"),
      operation("stream", "application/octet-stream: { schema: {} }", "x-max-bytes: 100000,"),
      operation("form", "multipart/form-data: { schema: { type: object, properties: { a: { type: integer } } } }"),
    ].join("\n"),
  ),
  {
    handlers: {
      stream: async ({ body }) => {
        streamed.push(await text(body as Readable).catch((error: Error) => `failed: ${error.message}`));
        return { status: 204 };
      },
    },
  },
);
t.teardown(() => app.close());
t.beforeEach(() => calls.splice(0));

const post = (path: string, coding: string, payload: Buffer | string, type = "application/json") =>
  send("POST", `/${path}`, { headers: { "content-type": type, "content-encoding": coding }, payload });

t.test("Decodes each coding, and two of them", async (t) => {
  for (const [coding, encode] of Object.entries(encoders)) {
    t.match(await post("json", coding, encode('{"a":1}')), { status: 204 }, coding);
    t.match(calls.pop(), { body: { a: 1 } });
    t.match(await post("json", coding.toUpperCase(), encode('{"a":"x"}')), {
      status: 400,
      body: { message: /'a' must be an integer/ },
    });
  }
  t.match(await post("json", "gzip, br", zlib.brotliCompressSync(zlib.gzipSync('{"a":2}'))), { status: 204 });
  t.match(calls.pop(), { body: { a: 2 } });
  t.match(await post("json", "identity,,gzip", zlib.gzipSync('{"a":2}')), { status: 204 });
  const form = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n7\r\n--b--\r\n';
  t.match(await post("form", "gzip", zlib.gzipSync(form), "multipart/form-data; boundary=b"), { status: 204 });
  t.match(calls.pop(), { body: { a: 7 } });
});

t.test("Refuses a body that is not in its coding, and a coding that it does not know", async (t) => {
  const whole = zlib.gzipSync('{"a":1}');
  for (const [coding, payload] of [
    ["gzip", "no gzip"],
    ["gzip", whole.subarray(0, -3)],
    ["deflate", "x"],
    ["br", Buffer.from([0xff, 0xff])],
    ["zstd", "no zstd"],
  ] as const)
    t.match(
      await post("json", coding, payload),
      {
        status: 400,
        body: { code: "invalid_body", message: `The body must be valid ${coding}, as its Content-Encoding says.` },
      },
      `${coding} ${payload.length}`,
    );
  for (const coding of ["compress", "gzip, aes", "gzip, gzip, gzip"])
    t.match(await post("json", coding, whole), {
      status: 415,
      headers: { "accept-encoding": "gzip, deflate, br, zstd" },
    });
  t.same(calls, []);
});

t.test("The limit is that of the decoded body", async (t) => {
  for (const [coding, encode] of Object.entries(encoders)) {
    const fits = encode(JSON.stringify("x".repeat(998)));
    const exceeds = encode(JSON.stringify("x".repeat(999)));
    t.match(
      [await post("small", coding, fits), await post("small", coding, exceeds)],
      [{ status: 204 }, { status: 413 }],
      coding,
    );
    const bomb = encode(Buffer.alloc(50_000_000, 32)).subarray(0, 900);
    t.match(await post("small", coding, bomb), { status: 413 }, `${coding} bomb`);
  }
});

t.test("A stream is decoded for its handler, and fails beyond the limit", async (t) => {
  await post("stream", "gzip", zlib.gzipSync("text"), "application/octet-stream");
  await post("stream", "gzip", zlib.gzipSync(Buffer.alloc(200_000, 32)), "application/octet-stream");
  await post("stream", "gzip", "no gzip", "application/octet-stream");
  t.match(streamed, [
    "text",
    /failed: The body exceeds the limit of 100000 bytes/,
    /failed: The body must be valid gzip, as its Content-Encoding says/,
  ]);
});

t.test("The next request of the connection is read behind a body that was refused", async (t) => {
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const request = (coding: string, body: Buffer) =>
    Buffer.concat([
      Buffer.from(
        `POST /small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`,
      ),
      body,
    ]);
  const bomb = zlib.gzipSync(Buffer.alloc(500_000, 32));
  const garbage = Buffer.concat([zlib.gzipSync("1"), Buffer.from("behind the end")]);
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  for (const [coding, body] of [
    ["gzip", bomb.subarray(0, 900)],
    ["gzip", Buffer.from("x")],
    ["gzip", garbage],
    ["br", Buffer.from("xyz")],
  ] as const) {
    socket.write(request(coding, body));
    const before = received.length;
    while (received.length === before) await once(socket, "data");
  }
  socket.write(request("identity", Buffer.from("1")));
  while (!/ 204 /.test(received.slice(-400))) await once(socket, "data");
  t.match(
    [...received.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status),
    ["413", "400", /400|204/, "400", "204"],
  );
  socket.destroy();
});

/** Sends bytes to a port, and returns what is received until `isDone` says so. */
async function exchange(port: number, bytes: readonly Buffer[], isDone: (text: string) => boolean): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  for (const part of bytes) socket.write(part);
  while (!isDone(received)) await once(socket, "data");
  socket.destroy();
  return received;
}

const headOf = (path: string, coding: string, rest: string) =>
  Buffer.from(
    `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: ${coding}\r\n${rest}\r\n\r\n`,
  );

t.test("A body that was refused is not decoded any further, by none of its codings", async (t) => {
  const bomb = zlib.brotliCompressSync(Buffer.alloc(200_000_000), {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  const { port } = app.server.address() as AddressInfo;
  for (const coding of ["br", "deflate, br", "br, br"]) {
    await exchange(port, [headOf("json", coding, `Content-Length: ${bomb.length}`), bomb], (text) =>
      / 4\d\d /.test(text),
    );
    const { user } = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 400));
    t.ok(process.cpuUsage().user - user < 200_000, `${coding}: ${process.cpuUsage().user - user} µs`);
  }
});

t.test("A body is complete when its message is, and not when its content is", async (t) => {
  const { port } = app.server.address() as AddressInfo;
  const body = zlib.deflateSync('{"a":1}');
  const tail = Buffer.alloc(50, 32);
  calls.splice(0);
  const waiting = connect(port, "127.0.0.1");
  waiting.write(Buffer.concat([headOf("json", "deflate", `Content-Length: ${body.length + 50}`), body]));
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.same(calls, [], "the handler waits");
  waiting.destroy();
  const complete = await exchange(
    port,
    [headOf("json", "deflate", `Content-Length: ${body.length + 50}`), body, tail],
    (text) => / \d\d\d /.test(text),
  );
  t.match(complete, / (204|400) /);
});

t.test("The bytes of a coding count as well", async (t) => {
  const { port } = app.server.address() as AddressInfo;
  const empty = zlib.gzipSync("");
  const chunk = Buffer.concat([Buffer.from(`${empty.length.toString(16)}\r\n`), empty, Buffer.from("\r\n")]);
  const bytes = [headOf("small", "gzip", "Transfer-Encoding: chunked"), ...Array.from({ length: 100 }, () => chunk)];
  t.match(await exchange(port, bytes, (text) => / \d\d\d /.test(text)), /^HTTP\/1\.1 413 /);
});
