// Request bodies: strict JSON, strict UTF-8, size, media type and content coding.
import fc from "fast-check";
import t from "tap";
import { maxBytes, maxName, type Pet } from "../../support/pets.ts";
import { minimalPet, start } from "../../support/service.ts";

const minimalBody = JSON.stringify(minimalPet);

const service = await start(t);
const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  service.call("POST", "/v1/pets", { body, headers: { "content-type": "application/json", ...headers } });

t.test("Returns any Unicode text without NUL unchanged", async (t) => {
  for (const name of [
    "",
    "x".repeat(maxName),
    "🐕".repeat(maxName),
    '\u2028\u2029\u007f\u0001"\\/',
    "\ufeff",
    "é e\u0301",
    "__proto__",
  ]) {
    const { id } = await service.create({ name, categoryId: 1 });
    t.equal(((await service.call("GET", `/v1/pets/${id}`)).body as Pet).name, name);
  }
  // Not fc.string({ unit: "binary" }), which builds a table of all 1.1 million characters in 3 s.
  const character = fc
    .oneof(fc.nat(0xff), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((code) => String.fromCodePoint(code));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: character, maxLength: 60 })),
      async (name) => {
        const { status, body } = await service.call("POST", "/v1/pets", { json: { name, categoryId: 1 } });
        return name.includes("\0") ? status === 400 : status === 201 && (body as Pet).name === name;
      },
    ),
    { numRuns: 300 },
  );
  t.ok((await service.call("GET", "/v1/pets?limit=100")).headers.link, "the store holds more than 100 of them");
});

t.test("Rejects text that is too long, not Unicode or not UTF-8", async (t) => {
  const quoted = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('","categoryId":1}')]);
  for (const [body, message] of [
    [
      `{"name":"${"x".repeat(maxName + 1)}","categoryId":1}`,
      new RegExp(`name' must have at most ${maxName} characters`),
    ],
    ['{"name":"a\\u0000b","categoryId":1}', /name' must be Unicode text without NUL/],
    ['{"name":"\\ud83d","categoryId":1}', /a lone surrogate/],
    ['{"name":"x","categoryId":1,"\\udc00":1}', /a lone surrogate/],
    [quoted(0xff), /UTF-8/],
    [quoted(0xed, 0xa0, 0x80), /UTF-8/],
    [`\ufeff${minimalBody}`, /must not begin with a byte order mark/],
  ] as const)
    t.match(await post(body), { status: 400, body: { code: "invalid_body", message } }, String(message));
});

t.test("Rejects bodies that are not strict JSON", async (t) => {
  for (const body of [
    "",
    " ",
    "{",
    "nul",
    '{"name":"x","categoryId":1,}',
    "{'name':'x'}",
    `${minimalBody}x`,
    "NaN",
    '{"name":"x","categoryId":01}',
    "[".repeat(30_000),
  ])
    t.match(await post(body), { status: 400, body: { code: "invalid_body" } }, `rejects ${body.slice(0, 30)}`);
  t.match(await post(`${"[".repeat(30_000)}${"]".repeat(30_000)}`), {
    status: 400,
    body: { message: /nested more than 1000 levels deep/ },
  });
  for (const body of [
    '{"name":"a","name":"b","categoryId":1}',
    '{"name":"a","categoryId":1,"x":[{"a":1,"\\u0061":2}]}',
  ])
    t.match(await post(body), { status: 400, body: { message: /same name twice/ } }, body);
  t.match(await post('{"name":"\\"a\\":","categoryId":1}'), { status: 201 }, "accepts text that resembles a field");
  for (const field of ["__proto__", "constructor", "id", "Name", "x".repeat(9_000)])
    t.match(
      await post(`{"name":"x","categoryId":1,"${field}":{}}`),
      { status: 400, body: { message: new RegExp(`unknown field '${field.slice(0, 50)}`) } },
      `rejects the field ${field.slice(0, 30)}`,
    );
});

t.test("Quotes no lone surrogate in a message", async (t) => {
  for (const shift of ["", "x"])
    for (const body of ["FACES", '{"name":"FACES" x}', '{"name":"x","categoryId":1,"FACES":1}']) {
      const response = await post(body.replace("FACES", `${shift}${"\u{1f600}".repeat(40)}`));
      t.ok((response.body as { message: string }).message.isWellFormed());
    }
});

t.test("Rejects bodies over the size limit with 413", async (t) => {
  t.match(await post(JSON.stringify({ ...minimalPet, name: "x".repeat(maxBytes) })), {
    status: 413,
    body: { code: "content_too_large", message: `The body exceeds the limit of ${maxBytes} bytes.` },
  });
  t.match(await post(minimalBody.padEnd(maxBytes)), { status: 201 }, "accepts a body of exactly the limit");
});

t.test("Rejects other media types, charsets and content codings with 415", async (t) => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/problem+json",
    "nonsense",
    "text/plain; application/json",
  ])
    t.match(
      await post(minimalBody, { "content-type": type }),
      {
        status: 415,
        body: { code: "unsupported_media_type", message: "The Content-Type of the body must be application/json." },
      },
      type,
    );
  t.match(await service.call("POST", "/v1/pets", { body: minimalBody }), { status: 415 }, "no media type");
  for (const charset of ["utf-16", "iso-8859-1", "utf-88"])
    t.match(
      await post(minimalBody, { "content-type": `application/json; charset=${charset}` }),
      { status: 415, body: { message: "The charset of the Content-Type must be UTF-8." } },
      charset,
    );
  const bytes = `Content-Length: ${minimalBody.length}\r\n\r\n${minimalBody}`;
  for (const types of [
    ["application/json; a=b", "text/plain"],
    ['application/json; a="b', 'c"'],
    ["application/json; charset=utf-8; charset=utf-16"],
    ["application/json; a=b, text/plain"],
    ["\u00a0application/json"],
  ]) {
    const lines = types.map((type) => `Content-Type: ${type}\r\n`).join("");
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n${lines}${bytes}`;
    t.match(await service.raw(Buffer.from(head, "latin1")), [{ status: 415, body: { message: /one Content-Type/ } }]);
  }
  for (const coding of ["compress", "identity, compress", "gzip, br, gzip"])
    t.match(await post(minimalBody, { "content-encoding": coding }), {
      status: 415,
      body: { message: /^The Content-Encoding .* is not supported\. Send gzip, deflate, br or zstd\.$/ },
    });
  for (const [header, value] of [
    ["content-type", "application/json; charset=utf-8"],
    ["content-type", "APPLICATION/JSON"],
    ["content-type", 'application/json; charset="UTF-8"'],
    ["content-type", "application/json; charset=utf8;"],
    ["content-type", "application/json; xcharset=utf-16"],
    ["content-encoding", ""],
    ["content-encoding", ", identity"],
    ["content-encoding", "identity"],
    ["content-encoding", "Identity"],
  ] as const)
    t.match(await post(minimalBody, { [header]: value }), { status: 201 }, `accepts ${header}: ${value}`);
});

t.test("Rejects a chunked body of more than 64 KiB", async (t) => {
  const { raw, key } = await start(t);
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
  const large = `${head}\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n${" ".repeat(70_000)}\r\n0\r\n\r\n`;
  t.match(await raw(large), [{ status: 413, body: { message: "The body exceeds the limit of 65536 bytes." } }]);
  const tiny = `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(maxBytes + 1)}0\r\n\r\n`;
  t.match(await raw(tiny), [{ status: 413, body: { message: "The body exceeds the limit of 65536 bytes." } }]);
});
