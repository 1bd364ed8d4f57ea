// The proxy compares responses as the upstream has sent them.
import { createServer, type RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { startProxy } from "../support/proxied.ts";

const response = (status: string, headers: string, content = "application/json: {}") =>
  `"${status}": { description: x, headers: { ${headers} }, content: { ${content} } }`;
const operation = (path: string, ...responses: string[]) =>
  `  /${path}: { get: { operationId: ${path}, responses: { ${responses.join(", ")} } } }\n`;

async function start(t: Test, paths: string, listener: RequestListener, flags: string[] = []) {
  const proxy = await startProxy(t, documentOf(paths), createServer(listener), { flags });
  return {
    ...proxy,
    send: async (path: string, headers: Record<string, string> = {}, method = "GET") => {
      const received = await fetch(`${proxy.url}/${path}`, { headers, method });
      return { status: received.status, text: await received.text() };
    },
  };
}

const text = "schema: { type: string }";
const integer = "schema: { type: integer, minimum: 5 }";
const json = "content: { application/json: { schema: { type: object, required: [n] } } }";

const headerCases: [declared: string, sent: Record<string, string | string[]>, message?: string][] = [
  [`X-A: { required: true, ${text} }`, { "x-a": "1" }],
  [`X-A: { required: true, ${text} }`, {}, "no header x-a"],
  [`X-A: { ${integer} }`, { "X-A": "5" }],
  [`X-A: { ${integer} }`, {}],
  [`X-A: { ${integer} }`, { "X-A": "4" }, "the header x-a, which must be at least 5"],
  [`X-A: { ${integer} }`, { "X-A": "many" }, "the header x-a, which must be an integer"],
  [`X-A: { ${integer} }`, { "X-A": ["5", "6"] }, "the header x-a, which must be an integer"],
  [`X-J: { required: true, ${json} }`, { "X-J": '{"n":1}' }],
  [`X-J: { required: true, ${json} }`, { "X-J": "{}" }, "the header x-j, which must have the field 'n'"],
  [`X-J: { required: true, ${json} }`, { "X-J": "{" }, "the header x-j, which is not valid JSON"],
  ["X-J: { content: { application/json: { schema: { type: string } } } }", { "X-J": '"a"' }],
  ["X-J: { content: { application/json: { schema: { type: string } } } }", { "X-J": "a" }, "is not valid JSON"],
  ["X-T: { content: { text/plain: { schema: { type: integer } } } }", { "X-T": "1" }],
  ["X-L: { schema: { type: array, items: { type: integer } } }", { "X-L": ["1, 2", "3"] }],
  ["X-L: { schema: { type: array, items: { type: integer } } }", { "X-L": "1, b" }, "must be an integer"],
  ["X-O: { explode: true, schema: { type: object, required: [n] } }", { "X-O": "n=1" }],
  ["X-O: { schema: { type: object } }", { "X-O": "n" }, "the header x-o, which must have a value for each property"],
  [`Set-Cookie: { required: true, ${text} }`, { "Set-Cookie": ["a=1, 2", "b=1"] }],
  ["Set-Cookie: { schema: { type: string, pattern: ^a= } }", { "Set-Cookie": ["a=1", "b=1"] }, "header set-cookie"],
];

t.test("Required and typed headers are compared, whatever declares their response", async (t) => {
  const statuses = ["200", "2XX", "default"];
  const cases = statuses.flatMap((status) => headerCases.map((one) => [status, ...one] as const));
  const paths = cases.map(([status, declared], index) => operation(`a${index}`, response(status, declared)));
  const { send } = await start(t, paths.join(""), ({ url }, to) => {
    to.writeHead(200, { "Content-Type": "application/json", ...cases[Number(url?.slice(2))]?.[2] }).end("{}");
  });
  for (const [index, [status, declared, sent, message]] of cases.entries()) {
    const received = await send(`a${index}`);
    t.equal(received.status, message === undefined ? 200 : 502, `${status} ${declared} ${JSON.stringify(sent)}`);
    if (message) t.ok(received.text.includes(message), received.text);
  }
});

t.test("Only headers that the upstream has sent count, and not those of a server of the document", async (t) => {
  for (const name of ["X-Request-Id", "ETag", "Vary", "Cache-Control", "Link", "Deprecation"]) {
    const paths = operation("a", response("200", `${name}: { required: true, ${text} }`), `"304": { description: x }`);
    const { send } = await start(
      t,
      paths.replace("get: {", "get: { deprecated: true, x-deprecated-since: 2026-01-01,"),
      (_, to) => {
        to.writeHead(200, { "Content-Type": "application/json" }).end("{}");
      },
    );
    t.match(await send("a"), { status: 502, text: new RegExp(`no header ${name.toLowerCase()}`) });
  }
});

t.test("The upstream evaluates the conditions of requests", async (t) => {
  const paths = operation("a", response("200", `ETag: { ${text} }`), `"304": { description: x }`);
  const { send, output } = await start(
    t,
    paths.replace("get:", `put: { operationId: put, responses: { 204: { description: x } } }, get:`),
    ({ headers }, to) => {
      if (headers["if-match"]) return void to.writeHead(204).end();
      to.writeHead(200, { "Content-Type": "application/json", ETag: '"a"' }).end("{}");
    },
  );
  t.match(await send("a", { "If-None-Match": '"a"' }), { status: 200, text: "{}" });
  t.match(await send("a", { "If-Match": '"a"' }, "PUT"), { status: 204 });
  t.notMatch(output.stdout, /violates/);
});

t.test("Concurrent requests and responses are not confused", async (t) => {
  const parameter = "parameters: [{ name: n, in: query, schema: { type: integer } }]";
  const paths = operation("a", response("200", `X-N: { required: true, ${integer} }`)).replace(
    "get: {",
    `get: { ${parameter},`,
  );
  const { send } = await start(t, paths, ({ url }, to) => {
    const [, n] = /n=(\d+)/.exec(`${url}`) ?? [];
    const respond = () => to.writeHead(200, { "Content-Type": "application/json", "X-N": `${n}` }).end(n);
    setTimeout(respond, Math.random() * 50);
  });
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const received = await Promise.all(numbers.map((n) => send(`a?n=${n % 10 === 9 ? "x" : n % 10}`)));
  for (const [n, { status, text }] of received.entries())
    if (n % 10 === 9) t.match({ status, text }, { status: 400, text: /must be an integer/ });
    else if (n % 10 < 5) t.match({ status, text }, { status: 502, text: /x-n, which must be at least 5/ });
    else t.same({ status, text }, { status: 200, text: `${n % 10}` });
});

const coded = operation(
  "a",
  response(
    "200",
    `Content-Encoding: { required: true, ${text} }`,
    "application/json: { schema: { type: array } }, text/plain: {}, image/png: {}",
  ),
);

t.test("A copy of a body is decoded for the comparison, and the client gets the bytes as they were sent", async (t) => {
  for (const [coding, encode] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["identity", (text: string) => Buffer.from(text)],
    ["gzip, br", (text: string) => brotliCompressSync(gzipSync(text))],
  ] as const)
    for (const [body, status] of [
      ["[]", 200],
      ["{}", 502],
    ] as const) {
      const bytes = encode(body);
      const { exchange } = await start(t, coded, (request, to) => {
        t.equal(request.headers["accept-encoding"], "x");
        to.writeHead(200, {
          "Content-Type": "application/json",
          "Content-Encoding": coding,
          "Content-Length": bytes.length,
        });
        to.end(bytes);
      });
      const received = await exchange("GET /a HTTP/1.1\r\nHost: x\r\nAccept-Encoding: x\r\nConnection: close\r\n\r\n");
      t.match(received, new RegExp(`^HTTP/1.1 ${status} `), `${coding} ${body}`);
      if (status === 200) t.ok(received.endsWith(`\r\n\r\n${bytes.toString("latin1")}`));
    }
});

t.test(
  "A body that is not in its content coding is a violation; one of an unknown coding is not compared",
  async (t) => {
    const { send, output } = await start(
      t,
      coded,
      (request, to) => {
        const coding = `${request.headers["x-coding"]}`;
        const type = `${request.headers["x-type"] ?? "application/json"}`;
        to.writeHead(200, {
          "Content-Type": type,
          "X-Coding": coding,
          ...(coding !== "none" && { "Content-Encoding": coding }),
        });
        to.end(gzipSync("[]").subarray(0, 15));
      },
      ["--report"],
    );
    await send("a", { "x-coding": "gzip" }).catch(() => {});
    t.match(
      output.stdout,
      /GET \/a 200: the response violates .* The upstream returned gzip JSON that can't be read: unexpected end/,
    );
    await send("a", { "x-coding": "x" });
    t.match(
      output.stdout,
      /GET \/a 200: the body of the response was not compared: The Content-Encoding x is not supported\. .*\n/,
    );
    const { length } = output.stdout;
    await send("a", { "x-coding": "x", "x-type": "image/png" });
    t.equal(output.stdout.length, length, "no body of this type is compared");
  },
);

t.test("A body that is too large passes, and is not compared", async (t) => {
  const large = `"${"a".repeat(2 ** 24)}"`;
  const { send, output, stop } = await start(t, coded, (request, to) => {
    const bytes = request.url === "/a?" ? gzipSync(large) : large;
    to.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Encoding": request.url === "/a?" ? "gzip" : "identity",
    });
    to.end(bytes);
  });
  for (const path of ["a", "a?"]) {
    const received = await send(path);
    t.equal(received.status, 200);
    t.ok(received.text === large, "the text is the same");
    t.match(
      output.stdout,
      `GET /${path} 200: the body of the response was not compared: It has more than 16777216 bytes.\n`,
    );
  }
  t.match(await stop(), { line: "2 requests, 0 of them violate the document." });
});

t.test("A body is read in its charset, or not compared if that is not known", async (t) => {
  const content =
    "text/plain: { schema: { type: string, const: Café } }, application/json: { schema: { const: Café } }";
  const utf16 = (value: string) => Buffer.from(`\ufeff${value}`, "utf16le");
  const cases: [type: string, body: Buffer, result?: RegExp][] = [
    ["text/plain; charset=iso-8859-1", Buffer.from("Café", "latin1")],
    ['text/plain;charset="ISO-8859-15"', Buffer.from("Café", "latin1")],
    ["text/plain; charset=iso-8859-1", Buffer.from("Cafe", "latin1"), /violates .* must be/],
    ["text/plain; charset=utf-16", utf16("Café")],
    ["text/plain; charset=UTF-8", Buffer.from("Café")],
    ["text/plain", Buffer.from("Café")],
    [
      "text/plain; charset=utf-8",
      Buffer.from("Café", "latin1"),
      /violates .*: The upstream returned text that can't be read: .* utf-8\./,
    ],
    ["text/plain", Buffer.from("Café", "latin1"), /not compared: The encoded data was not valid/],
    ["text/plain; charset=klingon", Buffer.from("x"), /not compared: The "klingon" encoding is not supported/],
    [
      "application/json",
      Buffer.from('"Café"', "latin1"),
      /violates .*: The upstream returned JSON that can't be read: .* utf-8\./,
    ],
    ["application/json; charset=iso-8859-1", Buffer.from('"Café"', "latin1")],
    ["application/json; charset=utf-8", Buffer.from('"Cafe"'), /violates .* must be/],
  ];
  const paths = operation("a", response("200", "", content));
  const { exchange, output } = await start(
    t,
    paths,
    ({ headers }, to) => {
      const [type, body] = cases[Number(headers["x-case"])] as (typeof cases)[number];
      to.writeHead(200, { "Content-Type": type }).end(body);
    },
    ["--report"],
  );
  for (const [index, [type, body, result]] of cases.entries()) {
    output.stdout = "";
    const received = await exchange(`GET /a HTTP/1.1\r\nHost: x\r\nX-Case: ${index}\r\nConnection: close\r\n\r\n`);
    t.ok(received.includes(body.toString("latin1")), "the same bytes");
    if (result) t.match(output.stdout, result);
    else t.equal(output.stdout, "", type);
  }
});

t.test("A body is compared with the media type that it has", async (t) => {
  const content =
    "application/json;v=1: { schema: { const: 1 } }, application/json;v=2: { schema: { const: 2 } }, text/plain: { schema: { type: integer } }";
  const cases: [type: string, body: string, message?: RegExp][] = [
    ["application/json; v=1", "1"],
    ["application/json; v=2", "2"],
    ["application/json; v=2", "1", /must be equal to 2/],
    ["text/plain", "5"],
    ["text/plain", "x", /must be an integer/],
    ["image/png", "x", /The upstream returned image\/png for the status 200, which declares/],
    ["", "x", /The upstream returned application\/octet-stream for/],
    ["png", "x", /The type that the upstream returned is not a media type/],
    ["application/json; v=1", "", /no body/],
    ["image/png", "", /no body/],
  ];
  const { send } = await start(t, operation("a", response("200", "", content)), ({ headers }, to) => {
    const [type, body] = cases[Number(headers["x-case"])] as (typeof cases)[number];
    to.writeHead(200, type === "" ? {} : { "Content-Type": type }).end(body);
  });
  for (const [index, [type, body, message]] of cases.entries()) {
    const received = await send("a", { "x-case": `${index}` });
    t.equal(received.status, message ? 502 : 200, `${type} ${body}`);
    if (message) t.match(received.text, message);
  }
});
