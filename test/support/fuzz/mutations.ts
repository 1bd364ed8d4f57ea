// Mutates a valid request, so that one part of it may violate the document.
import type { Random } from "../random.ts";
import { type Request, serializeFields } from "./requests.ts";
import { generateJson, generateName, generateText, invalidBytes } from "./values.ts";

const replaceHeader = (request: Request, name: string, ...values: string[]) => {
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
const mediaTypes = [
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
const idempotencyKeys = ['""', "", "a,b", '"a', "a b", "\x80\xff", "x".repeat(255), "x".repeat(256), '"\\""', "\ta"];
const additionalHeaders: [string, string][] = [
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

// Each mutation changes one part.
const mutations: ((request: Request, random: Random) => unknown)[] = [
  (request, random) => request.query.push(`${random.pick(["limit", "status", "cursor"])}=${generateText(random)}`),
  (request, random) => request.query.push(`${generateText(random)}=${generateText(random)}`),
  (request) => request.query.push(...request.query, "limit=1", "limit=1"),
  (request, random) => Object.assign(request, { path: `/v1/pets/${generateText(random)}` }),
  (request, random) => Object.assign(request, { path: random.pick(paths) }),
  (request, random) => Object.assign(request, { method: random.pick(methods) }),
  (request) => replaceHeader(request, "Authorization"),
  (request, random) =>
    replaceHeader(
      request,
      "Authorization",
      random.pick(["Bearer x", "Basic YTpi", "Bearer", "bearer  ", "\xff", "x".repeat(9_000)]),
    ),
  (request) => request.headers.push(...request.headers.filter(([name]) => name === "Authorization")),
  (request, random) => replaceHeader(request, "Content-Type", random.pick(mediaTypes)),
  (request, random) =>
    replaceHeader(request, "Content-Type", ...random.pick([[], ["application/json", "application/json"]])),
  (request, random) =>
    replaceHeader(request, "Content-Encoding", random.pick(["gzip", "identity", "br", "", "identity, gzip"])),
  (request, random) => replaceHeader(request, "Idempotency-Key", random.pick(idempotencyKeys)),
  (request) => replaceHeader(request, "Idempotency-Key", "a", "a"),
  (request, random) => request.headers.push(random.pick(additionalHeaders)),
  (request, random) => replaceHeader(request, "Host", ...random.pick([[], ["x", "y"], [""], ["[::1]:80"], ["a,b"]])),
  (request, random) => request.fields.push([generateName(random), generateJson(random)]),
  (request, random) => request.fields.splice(random.int(4), 1),
  (request, random) =>
    request.fields.splice(random.int(3), 1, [
      random.pick(['"name"', '"categoryId"', '"status"']),
      generateJson(random),
    ]),
  (request, random) => request.fields.push(random.pick(request.fields) ?? ['"name"', '"x"']),
  (request, random) => setBody(request, Buffer.from(generateJson(random))),
  (request, random) => setBody(request, Buffer.from(serializeFields(request)).subarray(0, random.int(40))),
  (request, random) =>
    setBody(request, Buffer.concat([random.pick(invalidBytes), Buffer.from(serializeFields(request))])),
  (request, random) => {
    const bytes = Buffer.from(serializeFields(request));
    const at = random.int(bytes.length);
    setBody(request, Buffer.concat([bytes.subarray(0, at), random.pick(invalidBytes), bytes.subarray(at)]));
  },
];

/** Mutates a request in one place. */
export function mutate(request: Request, random: Random): void {
  random.pick(mutations)(request, random);
  request.isValid = false;
}
