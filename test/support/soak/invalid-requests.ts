// Invalid requests, with the expected status.
import type { HttpCall } from "./client.ts";

const json = { "content-type": "application/json" };
const list = (query: string): HttpCall => ({ method: "GET", path: `/v1/pets?${query}`, statuses: [400] });
const create = (body: string, status = 400, headers: Record<string, string> = json): HttpCall => ({
  method: "POST",
  path: "/v1/pets",
  statuses: [status],
  headers,
  body,
});

/** The invalid requests. */
export const invalidRequests: readonly HttpCall[] = [
  list("limit=0x10"),
  list("limit=101"),
  list("limit=5&limit=5"),
  list("colour=red"),
  list("status=lost"),
  list("cursor=AAAAAAAAABS9hXo2Zc0fQ1v7mJ4kTe8y"),
  { method: "GET", path: "/v1/pets/one", statuses: [400] },
  create("{"),
  create('{"name":"Rex"}'),
  create('{"name":"Rex","categoryId":9223372036854775808}'),
  create('{"name":"Rex","categoryId":1,"colour":"red"}'),
  create('{"name":"Rex","categoryId":1}', 400, { ...json, "idempotency-key": "a, b" }),
  create('{"name":"Rex","categoryId":1}', 415, { "content-type": "text/plain" }),
  create(`{"name":"${"x".repeat(70_000)}","categoryId":1}`, 413),
  { method: "GET", path: "/v1/pets", statuses: [401], key: false },
  { method: "GET", path: "/v1/pets/1", statuses: [401], key: `psk_${"x".repeat(43)}` },
  { method: "GET", path: "/v1/pets/9223372036854775807", statuses: [404] },
  { method: "GET", path: "/v1/nothing", statuses: [404] },
  { method: "DELETE", path: "/v1/pets", statuses: [405] },
  { method: "PUT", path: "/v1/pets/1", statuses: [405], headers: json, body: "{}" },
];
