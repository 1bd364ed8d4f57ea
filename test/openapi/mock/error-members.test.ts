// The members of declared errors by their usual names, whether they are required or not.
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../../src/index.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const object = (properties: Readonly<Record<string, object>>, required: readonly string[] = []) => ({
  type: "object",
  required,
  properties,
});
const list = (items: object) => ({ type: "array", items });
const mapOf = (additionalProperties: object) => ({ type: "object", additionalProperties });
const messages = ["The field 'title' must be a string.", "The field 'tags.0' must be an integer."] as const;
const [first, second] = messages;
const whole = messages.join(" ");
const unknown = "This path does not exist.";

/** Returns the bodies of a 422 with two invalid parts, and of a path that is not declared. */
async function failWith(schema: object): Promise<unknown[]> {
  const sent = object({ title: text, tags: list(integer) });
  const put = {
    requestBody: { required: true, content: { "application/json": { schema: sent } } },
    responses: { 204: { description: "x" }, 422: { description: "x", content: { "application/json": { schema } } } },
  };
  const document = { openapi: "3.1.0", info: { title: "x", version: "1" }, paths: { "/a": { put } } };
  const app = await createServer({ document, mock: true, logger: pino({ level: "silent" }), docs: false });
  const invalid = await app.inject({ method: "PUT", url: "/a", payload: { title: 5, tags: ["x"] } });
  const missing = await app.inject({ url: "/none" });
  await app.close();
  return [invalid.json(), missing.json()];
}

const step = { anyOf: [text, integer] };
const fastApi = object({ detail: list(object({ loc: list(step), msg: text, type: text }, ["loc", "msg", "type"])) });

for (const [name, schema, invalid, missing] of [
  [
    "FastAPI has the place and message of each invalid part, and the message alone of other failures",
    fastApi,
    {
      detail: [
        { loc: ["body", "title"], msg: first, type: "invalid_body" },
        { loc: ["body", "tags", 0], msg: second, type: "invalid_body" },
      ],
    },
    { detail: unknown },
  ],
  [
    "ASP.NET has problem details as JSON, and a map from a field to its messages",
    object({ type: text, title: text, status: integer, detail: text, instance: text, errors: mapOf(list(text)) }),
    {
      ...{ type: "about:blank", title: "Unprocessable Entity", status: 422, detail: whole, instance: "/a" },
      errors: { title: [first], "tags.0": [second] },
    },
    { type: "about:blank", title: "Not Found", status: 404, detail: unknown, instance: "/none" },
  ],
  [
    "Okta has a summary of all, and one for each cause",
    object({ errorSummary: text, errorCauses: list(object({ errorSummary: text })) }),
    { errorSummary: whole, errorCauses: [{ errorSummary: first }, { errorSummary: second }] },
    { errorSummary: unknown },
  ],
  [
    "Laravel requires its map, which other failures leave empty",
    object({ success: { type: "boolean" }, message: text, errors: mapOf(list(text)) }, ["message", "errors"]),
    { success: false, message: whole, errors: { title: [first], "tags.0": [second] } },
    { success: false, message: unknown, errors: {} },
  ],
  [
    "a map can have one text for each field, and its fields can be those of an example",
    object({ error: text, messages: { type: "object", example: { email: "It is taken." } } }),
    { error: whole, messages: { title: first, "tags.0": second } },
    { error: unknown },
  ],
  ["Rails has a list of texts", object({ errors: list(text) }), { errors: messages }, { errors: [unknown] }],
  [
    "JSON:API has pointers, and the status as a text",
    object({
      errors: list(object({ id: text, status: text, title: text, detail: text, source: object({ pointer: text }) })),
    }),
    {
      errors: [
        { status: "422", title: "Unprocessable Entity", detail: first, source: { pointer: "/title" } },
        { status: "422", title: "Unprocessable Entity", detail: second, source: { pointer: "/tags/0" } },
      ],
    },
    { errors: [{ status: "404", title: "Not Found", detail: unknown }] },
  ],
  [
    "Google has the name of the status, and the invalid parts in one of the details",
    object({
      error: object({
        ...{ code: integer, message: text, status: text },
        details: list(object({ fieldViolations: list(object({ field: text, description: text })) })),
      }),
    }),
    {
      error: {
        ...{ code: 422, message: whole, status: "UNPROCESSABLE_ENTITY" },
        details: [
          {
            fieldViolations: [
              { field: "title", description: first },
              { field: "tags.0", description: second },
            ],
          },
        ],
      },
    },
    { error: { code: 404, message: unknown, status: "NOT_FOUND" } },
  ],
  [
    "entries behind the outermost message are filled, and none is invented where they are required",
    object(
      { message: text, path: text, data: object({ errors: list(object({ field: text, reason: text })) }, ["errors"]) },
      ["data"],
    ),
    {
      ...{ message: whole, path: "/a" },
      data: {
        errors: [
          { field: "title", reason: first },
          { field: "tags.0", reason: second },
        ],
      },
    },
    { message: unknown, path: "/none", data: { errors: [] } },
  ],
  [
    "a failure without a place has the shape of the server, if a list of invalid parts can't have its message",
    object({ issues: list(object({ path: list(text), message: text }, ["path"])) }),
    {
      issues: [
        { path: ["title"], message: first },
        { path: ["tags", "0"], message: second },
      ],
    },
    { code: "path_not_found", message: unknown, status: 404 },
  ],
] as const)
  t.test(name, async (t) => t.strictSame(await failWith(schema), [invalid, missing]));
