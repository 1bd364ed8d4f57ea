// What handlers do wrong, and what the log says about it.
import { Readable } from "node:stream";
import { HttpError } from "../../src/index.ts";

const secret = "a detail of the bug";

/** Returns a function that throws a value. */
export function thrower(value: unknown): () => never {
  return () => {
    throw value;
  };
}
const hostile = new Proxy({}, { get: thrower(new Error("trap")), getPrototypeOf: thrower(new Error("trap")) });
const withGetter = (name: string) =>
  Object.defineProperty(new Error(secret), name, { enumerable: true, get: thrower(new Error("getter")) });
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const ok = (more: object) => () => ({ status: 200, body: 1, ...more });

/** What a handler does, and what the log says about it. */
export const mistakes: Record<string, [handler: () => unknown, reason: RegExp]> = {
  "throws an Error": [thrower(new Error(secret)), /a detail of the bug/],
  "throws a frozen Error": [thrower(Object.freeze(new Error(secret))), /a detail of the bug/],
  "throws undefined": [thrower(undefined), /The thrown value is not an Error: .*undefined/],
  "throws null": [thrower(null), /The thrown value is not an Error: .*null/],
  "throws a string": [thrower(secret), /The thrown value is not an Error: .*'a detail of the bug'/],
  "throws an object": [thrower({ password: secret }), /The thrown value is not an Error: .*\[Object\]/],
  "throws a function": [thrower(() => secret), /The thrown value is not an Error: .*Function/],
  "throws a symbol": [thrower(Symbol("bug")), /The thrown value is not an Error: .*Symbol\(bug\)/],
  "throws an Error of another library": [thrower({ name: "Other", message: secret, stack: secret }), /"type":"Other"/],
  "throws an Error with a cause": [thrower(new Error("outer", { cause: new Error("inner") })), /outer: inner/],
  "throws an Error that is its own cause": [
    thrower(Object.assign(new Error(secret), cyclic, { cause: cyclic })),
    /bug/,
  ],
  "throws an Error whose causes never end": [
    () => {
      const error = new Error(secret);
      error.cause = error;
      throw error;
    },
    /a detail of the bug/,
  ],
  "throws an Error whose message is no text": [thrower(Object.assign(new Error(), { message: 5 })), /"message":""/],
  ...Object.fromEntries(
    ["code", "stack", "name", "cause", "errors", "statusCode", "headers", "then"].map((name) => [
      `throws an Error whose ${name} throws`,
      [thrower(withGetter(name)), /"message":"a detail of the bug"/],
    ]),
  ),
  ...Object.fromEntries(
    ["FST_ERR_CTP_X", "FST_ERR_CTP_INVALID_MEDIA_TYPE", "FST_ERR_VALIDATION", "ECONNRESET"].map((code) => [
      `throws an Error with the code ${code}`,
      [thrower(Object.assign(new Error(secret), { code })), new RegExp(`"code":"${code}"`)],
    ]),
  ),
  "throws an Error whose message throws": [thrower(withGetter("message")), /"type":"Error","message":""/],
  "throws an AggregateError": [thrower(new AggregateError([new Error("first"), 5], "both")), /first.*not an Error: 5/],
  "throws an Error with a message of 1 MB": [
    thrower(new Error(secret.padEnd(1e6, "x"))),
    /a detail of the bugx{9981}…/,
  ],
  "throws an object with the prototype of HttpError": [
    () => thrower(Object.create(HttpError.prototype))(),
    /not an Error/,
  ],
  "throws an Error with a status and headers": [
    thrower(Object.assign(new Error(secret), { statusCode: 418, status: 418, headers: { "x-secret": secret } })),
    /a detail of the bug/,
  ],
  "throws an Error with data": [
    thrower(Object.assign(new Error("x"), { config: { password: "p4ss" } })),
    /"message":"x"/,
  ],
  "throws a Proxy": [thrower(hostile), /The thrown value is not an Error: .*Proxy/],
  "throws an Error whose prototype is a Proxy": [thrower(Object.create(hostile)), /The thrown value is not an Error/],
  "throws an Error whose prototype has become a Proxy": [
    thrower(Object.setPrototypeOf(new Error(secret), hostile)),
    /"err":\{/,
  ],
  "throws an HttpError with an invalid header": [
    () => thrower(new HttpError("unauthorized", secret, { "x y": "1" }))(),
    /The header x y is not valid/,
  ],
  "rejects with a Proxy": [() => Promise.reject(hostile), /The thrown value is not an Error/],
  "returns nothing": [() => undefined, /returned no response/],
  "returns null": [() => null, /returned no response/],
  "returns a string": [() => secret, /returned no response/],
  "returns a Proxy": [() => hostile, /trap/],
  "returns a status that is no integer": [ok({ status: 200.5 }), /the status 200.5/],
  "returns a status that is a string": [ok({ status: "200" }), /the status 200, which is not one/],
  "returns the status 101": [ok({ status: 101 }), /the status 101/],
  "returns no status": [ok({ status: undefined }), /the status undefined/],
  "returns a getter that throws": [
    () => Object.defineProperty({ status: 200 }, "body", { get: thrower(new Error("get")) }),
    /get/,
  ],
  "returns a header with a blank in its name": [ok({ headers: { "x y": "1" } }), /header 'x y'/],
  "returns a header without a name": [ok({ headers: { "": "1" } }), /header ''/],
  "returns a header with a line break": [ok({ headers: { x: "1\r\ny: 2" } }), /header x with a character/],
  "returns a header that is a symbol": [ok({ headers: { x: [Symbol("x")] } }), /Symbol/],
  "returns a header whose text throws": [
    ok({ headers: { x: [{ toString: thrower(new Error("no text")) }] } }),
    /no text/,
  ],
  "returns transfer-encoding": [ok({ headers: { "Transfer-Encoding": "chunked" } }), /only the server can set/],
  "returns trailer": [ok({ headers: { trailer: "x" } }), /only the server can set/],
  "returns a length that is no number": [ok({ headers: { "content-length": "1 " } }), /not a number of bytes/],
  "returns Headers": [ok({ headers: new Headers({ a: "b" }) }), /must be a plain object/],
  "returns a Map of headers": [ok({ headers: new Map([["a", "b"]]) }), /must be a plain object/],
  "returns headers that are a string": [ok({ headers: "a: b" }), /must be a plain object/],
  "returns headers that are null": [ok({ headers: null }), /must be a plain object/],
  "returns a header that is a Date": [ok({ headers: { x: new Date(0) } }), /header x as an object/],
  "returns a header that is a URL": [ok({ headers: { x: new URL("http://x") } }), /header x as an object/],
  "returns an empty type": [ok({ type: "" }), /not a media type/],
  "returns a type that is a word": [ok({ type: "json" }), /not a media type/],
  "returns a type with a line break": [ok({ type: "application/json\r\nx: y" }), /not a media type/],
  "returns a type that is no string": [ok({ type: {} }), /not a media type/],
  "returns a Readable as JSON": [ok({ type: "application/json", body: Readable.from([secret]) }), /not a JSON value/],
  "returns a ReadableStream as JSON": [
    ok({ type: "application/json", body: new ReadableStream() }),
    /not a JSON value/,
  ],
  "returns a promise as JSON": [ok({ type: "application/json", body: Promise.resolve(secret) }), /not a JSON value/],
  "returns a promise that rejects": [
    () => ({ status: 200, type: "application/json", body: Promise.reject(new Error(secret)) }),
    /not a JSON value/,
  ],
  "returns bytes as JSON": [ok({ type: "application/json", body: Buffer.from(secret) }), /not a JSON value/],
  "returns a Set as JSON": [ok({ type: "application/json", body: new Set([secret]) }), /not a JSON value/],
  "returns a generator as JSON": [ok({ type: "application/json", body: [1].values() }), /not a JSON value/],
  "returns a function as JSON": [ok({ type: "application/json", body: () => secret }), /not a JSON value/],
  "returns a value whose toJSON returns nothing": [ok({ body: { toJSON: () => undefined } }), /not a JSON value/],
  ...Object.fromEntries(
    [new Response(secret), new Error(secret), new DataView(new ArrayBuffer(1)), /a/, new Blob([]), new WeakMap()].map(
      (body) => [
        `returns ${Object.prototype.toString.call(body)} as JSON`,
        [ok({ type: "application/json", body }), /not a JSON value/],
      ],
    ),
  ),
  "returns a cycle": [ok({ body: cyclic }), /circular/],
  "returns a body whose getter throws": [
    ok({
      body: {
        a: 1,
        get b() {
          return thrower(new Error("getter"))();
        },
      },
    }),
    /getter/,
  ],
  "returns a body whose toJSON throws": [
    ok({ body: { toJSON: thrower(new Error("toJSON failed")) } }),
    /toJSON failed/,
  ],
  "returns an object as text": [ok({ type: "text/plain", body: { secret } }), /as a string/],
  "returns a stream that fails before it begins": [
    () => ({
      status: 200,
      type: "application/octet-stream",
      headers: { "content-disposition": `attachment; filename="${secret}"` },
      body: new Readable({ read: thrower(new Error("the file is gone")) }),
    }),
    /the file is gone/,
  ],
  "returns a stream that fails with a code of Fastify": [
    () => {
      const body = new Readable({ read() {} });
      setImmediate(() => body.destroy(Object.assign(new Error(secret), { code: "FST_ERR_CTP_X" })));
      return { status: 200, type: "application/octet-stream", body };
    },
    /a detail of the bug/,
  ],
  "returns a stream that is locked": [
    () => {
      const body = new ReadableStream();
      body.getReader();
      return { status: 200, type: "application/octet-stream", body };
    },
    /locked/i,
  ],
  "returns a promise as a header": [
    () => ({ status: 200, headers: { x: Promise.reject(new Error(secret)) }, body: 1 }),
    /a promise or a function as the header x/,
  ],
  "returns a function as a header": [ok({ headers: { x: () => secret } }), /a promise or a function as the header x/],
  "throws an HttpError with Transfer-Encoding": [
    () => thrower(new HttpError("unauthorized", secret, { "Transfer-Encoding": "chunked" }))(),
    /The header Transfer-Encoding is not valid/,
  ],
  "throws an HttpError with an unknown code": [
    () => thrower(new HttpError("teapot" as "unauthorized", secret))(),
    /There is no error code teapot/,
  ],
  "returns a web stream with an object as a chunk": [
    () => ({ status: 200, type: "application/octet-stream", body: ReadableStream.from([{ a: 1 }]) }),
    /neither text nor bytes/,
  ],
  "returns a stream with a number as a chunk": [
    () => ({ status: 200, type: "application/octet-stream", body: Readable.from([5]) }),
    /neither text nor bytes/,
  ],
  "returns the item undefined": [ok({ type: "application/jsonl", body: [undefined] }), /not a JSON value/],
  "returns an iterator without results": [
    ok({ type: "application/jsonl", body: { [Symbol.iterator]: () => ({ next: () => 5 }) } }),
    /does not return an object/,
  ],
  "returns items whose iterator throws": [
    ok({ type: "application/jsonl", body: { [Symbol.iterator]: thrower(new Error("no iterator")) } }),
    /no iterator/,
  ],
  "returns items of which the first fails": [
    ok({ type: "application/jsonl", body: { [Symbol.iterator]: () => ({ next: thrower(hostile) }) } }),
    /The thrown value is not an Error/,
  ],
};
