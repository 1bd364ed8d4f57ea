// What becomes of a request where one thing of it is not as the document says.

import type { Random } from "../../test/support/random.ts";
import { nastyBytes, nastyJson, nastyName, nastyText } from "./nasty.ts";
import { json, type Request } from "./requests.ts";

const replace = (request: Request, name: string, ...values: string[]) => {
  request.headers = request.headers.filter(([one]) => one !== name);
  for (const value of values) request.headers.push([name, value]);
};
const setBody = (request: Request, body: Buffer) => {
  request.body = body;
};
const paths = [
  "/",
  "/v1",
  "/v1/",
  "/v1/pets/",
  "/v2/pets",
  "/v1/pets/1/x",
  "//v1/pets",
  "/v1//pets",
  "/V1/pets",
  "/healthz",
  "/v1/pets;x",
  "/__proto__",
  "*",
];
const methods = ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY", "LOCK", "PURGE"];
const types = [
  "text/plain",
  "application/xml",
  "application/json; charset=utf-16",
  'application/json;charset="UTF-8"',
  "application/json; charset=",
  "application/JSON",
  "application/json, text/plain",
  "",
  "multipart/form-data",
  "application/json;;;",
  "application/problem+json",
];
const keys = ['""', "", "a,b", '"a', "a b", "\x80\xff", "x".repeat(255), "x".repeat(256), '"\\""', "\ta"];
const more: [string, string][] = [
  ["Expect", "100-continue"],
  ["Expect", "x"],
  ["Connection", "close"],
  ["Connection", "Upgrade"],
  ["Upgrade", "h2c"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["X-Forwarded-For", "::1"],
  ["Accept", "text/html"],
  ["Accept-Encoding", "gzip"],
  ["Range", "bytes=0-1"],
  ["If-None-Match", "*"],
  ["Cookie", "a=b"],
  ["__proto__", "x"],
  ["Origin", "null"],
  ["X-Request-Id", "\x80"],
  ["Content-MD5", "x"],
  ["TE", "trailers"],
];

// Each changes one thing.
const changes: ((request: Request, random: Random) => unknown)[] = [
  (request, random) => request.query.push(`${random.pick(["limit", "status", "cursor"])}=${nastyText(random)}`),
  (request, random) => request.query.push(`${nastyText(random)}=${nastyText(random)}`),
  (request) => request.query.push(...request.query, "limit=1", "limit=1"),
  (request, random) => Object.assign(request, { path: `/v1/pets/${nastyText(random)}` }),
  (request, random) => Object.assign(request, { path: random.pick(paths) }),
  (request, random) => Object.assign(request, { method: random.pick(methods) }),
  (request) => replace(request, "Authorization"),
  (request, random) =>
    replace(
      request,
      "Authorization",
      random.pick(["Bearer x", "Basic YTpi", "Bearer", "bearer  ", "\xff", "x".repeat(9_000)]),
    ),
  (request) => request.headers.push(...request.headers.filter(([name]) => name === "Authorization")),
  (request, random) => replace(request, "Content-Type", random.pick(types)),
  (request, random) => replace(request, "Content-Type", ...random.pick([[], ["application/json", "application/json"]])),
  (request, random) =>
    replace(request, "Content-Encoding", random.pick(["gzip", "identity", "br", "", "identity, gzip"])),
  (request, random) => replace(request, "Idempotency-Key", random.pick(keys)),
  (request) => replace(request, "Idempotency-Key", "a", "a"),
  (request, random) => request.headers.push(random.pick(more)),
  (request, random) => replace(request, "Host", ...random.pick([[], ["x", "y"], [""], ["[::1]:80"], ["a,b"]])),
  (request, random) => request.fields.push([nastyName(random), nastyJson(random)]),
  (request, random) => request.fields.splice(random.int(4), 1),
  (request, random) =>
    request.fields.splice(random.int(3), 1, [random.pick(['"name"', '"categoryId"', '"status"']), nastyJson(random)]),
  (request, random) => request.fields.push(random.pick(request.fields) ?? ['"name"', '"x"']),
  (request, random) => setBody(request, Buffer.from(nastyJson(random))),
  (request, random) => setBody(request, Buffer.from(json(request)).subarray(0, random.int(40))),
  (request, random) => setBody(request, Buffer.concat([random.pick(nastyBytes), Buffer.from(json(request))])),
  (request, random) => {
    const bytes = Buffer.from(json(request));
    const at = random.int(bytes.length);
    setBody(request, Buffer.concat([bytes.subarray(0, at), random.pick(nastyBytes), bytes.subarray(at)]));
  },
];

/** Changes a request in one place. */
export function mutate(request: Request, random: Random): void {
  random.pick(changes)(request, random);
  request.valid = false;
}
