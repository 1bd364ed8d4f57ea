// How changes of operations, parameters, bodies, responses and paths are rated.
import t from "tap";
import { checkRating, type Expected, type Kind } from "../support/diff.ts";

const [breaking, compatible, documentation, none] = ["breaking", "compatible", "documentation", "none"] as const;

const operations: readonly [kind: Kind, old: string, revised: string, rating: Expected][] = [
  // Parameters
  ["parameter", "{ required: false }", "{ required: true }", breaking],
  ["parameter", "{ required: true }", "{ required: false }", compatible],
  ["parameter", "{ name: q }", "{ name: r }", breaking],
  ["parameter", "{ in: header, name: X-Q }", "{ in: header, name: x-q }", none],
  ["parameter", "{ in: header, name: Accept }", "{ in: header, name: Authorization }", none],
  ["parameter", "{ in: query }", "{ in: header }", breaking],
  ["parameter", "{ schema: { type: integer, maximum: 9 } }", "{ schema: { type: integer, maximum: 5 } }", breaking],
  ["parameter", "{ schema: { type: integer, default: 9 } }", "{ schema: { type: integer, default: 5 } }", breaking],
  ["parameter", "{ schema: { type: array } }", "{ schema: { type: array }, explode: false }", breaking],
  ["parameter", "{ schema: { type: array } }", "{ schema: { type: array }, style: form, explode: true }", none],
  ["parameter", "{ schema: { type: string } }", "{ schema: { type: string }, explode: false }", none],
  ["parameter", "{ allowEmptyValue: true }", "{}", breaking],
  ["parameter", "{}", "{ deprecated: true }", compatible],
  ["parameter", "{ deprecated: true, x-sunset: 2029-01-01 }", "{ name: r }", compatible],
  ["operation", "{}", "{ parameters: [{ name: q, in: query }] }", compatible],
  ["operation", "{}", "{ parameters: [{ name: q, in: query, required: true }] }", breaking],
  ["operation", "{ parameters: [{ name: q, in: query }] }", "{}", breaking],
  [
    "operation",
    "{ parameters: [{ name: q, in: query }, { name: r, in: query }] }",
    "{ parameters: [{ name: r, in: query }, { name: q, in: query }] }",
    none,
  ],
  // Bodies
  ["operation", "{}", "{ requestBody: { content: {} } }", compatible],
  ["operation", "{}", "{ requestBody: { required: true, content: {} } }", breaking],
  ["operation", "{ requestBody: { content: {} } }", "{}", breaking],
  ["operation", "{ requestBody: { content: {} } }", "{ requestBody: { required: true, content: {} } }", breaking],
  ["operation", "{ requestBody: { x-max-bytes: 9 } }", "{ requestBody: { x-max-bytes: 8 } }", breaking],
  ["operation", "{ requestBody: { x-max-bytes: 8 } }", "{ requestBody: {} }", compatible],
  ["operation", "{ requestBody: { content: { a/b: {} } } }", "{ requestBody: { content: { a/c: {} } } }", breaking],
  [
    "operation",
    "{ requestBody: { content: { a/b: {} } } }",
    "{ requestBody: { content: { A/B: {}, a/c: {} } } }",
    compatible,
  ],
  // Responses
  ["operation", "{ responses: { 200: {} } }", "{ responses: { 200: {}, 404: {} } }", compatible],
  ["operation", "{ responses: { 200: {}, 404: {} } }", "{ responses: { 200: {} } }", breaking],
  ["operation", "{ responses: { 200: {} } }", "{ responses: { 201: {} } }", breaking],
  ["operation", "{ responses: { 2xx: {} } }", "{ responses: { 2XX: {} } }", none],
  ["operation", "{ responses: { 200: { content: { a/b: {} } } } }", "{ responses: { 200: {} } }", breaking],
  ["operation", "{ responses: { 200: { headers: { A: {} } } } }", "{ responses: { 200: {} } }", breaking],
  ["operation", "{ responses: { 200: {} } }", "{ responses: { 200: { headers: { A: {} } } } }", compatible],
  [
    "operation",
    "{ responses: { 200: { headers: { A: { required: true } } } } }",
    "{ responses: { 200: { headers: { a: {} } } } }",
    breaking,
  ],
  [
    "operation",
    "{ responses: { 200: { headers: { A: { schema: { enum: [a] } } } } } }",
    "{ responses: { 200: { headers: { A: { schema: { enum: [a, b] } } } } } }",
    breaking,
  ],
  ["operation", "{ responses: { 200: { links: { a: {} } } } }", "{ responses: { 200: {} } }", breaking],
  // Deprecation and stability
  ["operation", "{}", "{ deprecated: true, x-sunset: 2031-01-01 }", compatible],
  ["operation", "{}", "{ x-sunset: 2029-01-01 }", breaking],
  ["operation", "{ x-sunset: 2032-01-01 }", "{ x-sunset: 2031-01-01 }", breaking],
  ["operation", "{ x-stability: beta }", "{ x-stability: experimental }", breaking],
  ["operation", "{ x-stability: beta }", "{}", compatible],
  ["operation", "{ operationId: a }", "{ operationId: b }", compatible],
  ["operation", "{ tags: [a] }", "{ tags: [b] }", documentation],
  ["operation", "{ tags: [a, b] }", "{ tags: [b, a] }", none],
  ["operation", "{ summary: A }", "{ summary: B }", documentation],
  // Security and servers
  ["operation", "{ security: [{ key: [] }] }", "{ security: [{ key: [] }, { token: [] }] }", compatible],
  ["operation", "{ security: [{ key: [] }, { token: [] }] }", "{ security: [{ token: [] }, { key: [] }] }", none],
  ["operation", "{ security: [{ key: [] }] }", "{ security: [{ key: [], token: [] }] }", breaking],
  ["operation", "{ security: [{ key: [] }] }", "{ security: [{ key: [write] }] }", breaking],
  ["operation", "{}", "{ security: [{ key: [] }] }", breaking],
  ["operation", "{ security: [{ key: [] }] }", "{ security: [{}, { key: [] }] }", compatible],
  ["operation", "{ servers: [{ url: /v1 }] }", "{ servers: [{ url: /v2 }] }", breaking],
  ["operation", "{ servers: [{ url: /v1 }] }", "{ servers: [{ url: /v1/ }, { url: /v2 }] }", compatible],
  ["operation", "{ servers: [{ url: /v1 }, { url: /v2 }] }", "{ servers: [{ url: /v1 }] }", breaking],
  ["operation", "{}", "{ servers: [{ url: / }] }", none],
  // Callbacks, which callers receive
  ["operation", "{}", "{ callbacks: { done: { '{$url}': { post: {} } } } }", compatible],
  ["operation", "{ callbacks: { done: { '{$url}': { post: {} } } } }", "{}", breaking],
  [
    "operation",
    "{ callbacks: { done: { '{$url}': { post: {} } } } }",
    "{ callbacks: { done: { '{$url}': {} } } }",
    breaking,
  ],
  [
    "operation",
    "{ callbacks: { done: { '{$url}': { post: { requestBody: { content: { a/b: { schema: { enum: [a] } } } } } } } } }",
    "{ callbacks: { done: { '{$url}': { post: { requestBody: { content: { a/b: { schema: { enum: [a, b] } } } } } } } } }",
    breaking,
  ],
  // Paths
  ["document", "{}", "{ paths: { /a: { get: {} } } }", compatible],
  ["document", "{ paths: { /a: { get: {} } } }", "{}", breaking],
  ["document", "{ paths: { /a: { get: {} } } }", "{ paths: { /a: { put: {} } } }", breaking],
  ["document", "{ paths: { /a: { get: { x-sunset: 2029-12-31 } } } }", "{}", compatible],
  [
    "document",
    "{ paths: { /a: { get: { operationId: b } } } }",
    "{ paths: { /c: { get: { operationId: b } } } }",
    breaking,
  ],
  [
    "document",
    "{ paths: { '/a/{b}': { get: { parameters: [{ name: b, in: path, required: true }] } } } }",
    "{ paths: { '/a/{c}': { get: { parameters: [{ name: c, in: path, required: true }] } } } }",
    none,
  ],
  [
    "document",
    "{ paths: { '/a/{b}': { get: { parameters: [{ name: b, in: path, required: true, schema: { type: string } }] } } } }",
    "{ paths: { '/a/{c}': { parameters: [{ name: c, in: path, required: true, schema: { type: integer } }], get: {} } } }",
    breaking,
  ],
  [
    "document",
    "{ paths: { /a: { get: {} } }, security: [] }",
    "{ paths: { /a: { get: {} } }, security: [{ b: [] }] }",
    breaking,
  ],
  ["document", "{ openapi: 3.0.3 }", "{ openapi: 3.1.0 }", none],
  ["document", "{ tags: [{ name: a }] }", "{ tags: [{ name: b }] }", documentation],
  // Webhooks, which callers receive
  ["document", "{}", "{ webhooks: { a: { post: {} } } }", compatible],
  ["document", "{ webhooks: { a: { post: {} } } }", "{}", breaking],
  [
    "document",
    "{ webhooks: { a: { post: { requestBody: { content: { a/b: { schema: { properties: { b: {} } } } } } } } } }",
    "{ webhooks: { a: { post: { requestBody: { content: { a/b: { schema: { properties: { b: {} }, required: [b] } } } } } } } }",
    compatible,
  ],
];

for (const [kind, old, revised, rating] of operations)
  t.test(`${kind} ${old} -> ${revised} is ${rating}`, (t) => checkRating(t, kind, old, revised, rating));
