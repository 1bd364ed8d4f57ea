// Errors that the server itself makes have the shape that the document declares, or the owner gets to know.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, type ErrorFormat, problemDetails } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const problem = `{ type: object, required: [title, status, detail], properties: { title: { type: string }, status: { type: integer }, detail: { type: string } } }`;
const documentWith = (responses: string) =>
  parse(
    documentOf(`  /a:
    get:
      operationId: a
      parameters: [{ name: n, in: query, schema: { type: integer } }]
      responses: { 204: { description: x }, ${responses} }
`),
  );
const json = (schema: string, type = "application/json", more = "") =>
  `{ description: x, content: { ${type}: { schema: ${schema}${more} } } }`;

async function start(document: object, options: object = {}) {
  const warnings: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const app = await createServer({ document, logger, handlers: { a: async () => ({ status: 204 }) }, ...options });
  const get = async (url: string) => {
    const { statusCode, headers, payload } = await app.inject(url);
    return { status: statusCode, type: headers["content-type"], body: JSON.parse(payload) };
  };
  return { get, warnings };
}

t.test("Errors are problem details where the document declares these and no other JSON", async (t) => {
  const { get, warnings } = await start(documentWith(`400: ${json(problem, "application/problem+json")}`));
  t.match(await get("/a?n=x"), {
    status: 400,
    type: "application/problem+json",
    body: { title: "Bad Request", status: 400, detail: /'n' must be an integer/, code: "invalid_parameter" },
  });
  t.match(await get("/nothing"), { status: 404, type: "application/problem+json" }, "as all of the document");
  t.same(warnings, []);
  const both = documentWith(`400: ${json("{}")}, 500: ${json(problem, "application/problem+json")}`);
  t.match(await (await start(both)).get("/a?n=x"), { type: "application/json", body: { code: "invalid_parameter" } });
  t.match(await (await start(both)).get("/nothing"), { type: "application/json" });
});

t.test("A start names the operations that declare errors of another shape", async (t) => {
  const other = "{ type: object, required: [error], properties: { error: { type: object } } }";
  for (const [responses, message, options] of [
    [
      `400: ${json(other)}`,
      /The operation a declares errors of another shape .* of which it must have the field 'error': set `formatError`/,
    ],
    [`4XX: ${json(other)}`, /must have the field 'error'/],
    [`default: ${json(other)}`, /must have the field 'error'/],
    [`400: ${json("{ properties: { status: { const: 9 } } }")}`, /its field 'status' must be equal to 9/],
    [`400: ${json("{}", "application/xml")}`, /declares errors as application\/xml, and not as application\/json/],
    [`default: ${json(problem)}`, /must have the field 'title'/],
    [`default: ${json(problem)}`, undefined, { formatError: problemDetails, mediaType: undefined }],
    [`400: ${json("{ type: object }")}`, undefined],
    [`404: ${json(other)}`, undefined, "the server makes no 404 of an operation"],
    ["400: { description: x }", undefined, "no shape"],
  ] as [string, RegExp | undefined, object?][]) {
    const formatError: ErrorFormat | undefined =
      typeof options === "object" ? ({ code, ...rest }) => ({ ...problemDetails({ code, ...rest }) }) : undefined;
    const { warnings } = await start(documentWith(responses), { formatError });
    t.match(warnings, message === undefined ? [] : [message], responses);
    t.equal(warnings.length, message === undefined ? 0 : 1);
  }
  await t.rejects(start(documentWith(`400: ${json(other)}`), { strict: true }), { message: /\[error-shape\]/ });
  const needsRequest: ErrorFormat = (_, { request }) => ({ url: (request as { url: string }).url });
  const { warnings } = await start(documentWith(`400: ${json("{}")}`), { formatError: needsRequest });
  t.match(warnings, [/has no errors for malformed HTTP, of which `formatError` gets no request/]);
});

t.test("A format without a media type gets the one that is declared", async (t) => {
  const document = documentWith(`400: ${json("{}", "application/vnd.error+json")}`);
  const { get, warnings } = await start(document, { formatError: () => ({ a: 1 }) });
  t.match(await get("/a?n=x"), { status: 400, type: "application/vnd.error+json", body: { a: 1 } });
  t.match(await get("/nothing"), { type: "application/json" });
  t.same(warnings, []);
});

t.test("Errors of the mock are as the document declares them, with the reason in their texts", async (t) => {
  const nested = `{ type: object, required: [errors], properties: { errors: { type: array, minItems: 1, items: { type: object, required: [code, title], properties: { code: { type: integer }, title: { type: string }, pointer: { type: string } } } } } }`;
  const { get, warnings } = await start(documentWith(`400: ${json(nested)}`), { mock: true, handlers: undefined });
  t.match(await get("/a?n=x"), { status: 400, body: { errors: [{ code: 400, title: /'n' must be an integer/ }] } });
  t.same(warnings, [], "the mock adapts its errors");
  const example = `, example: { kind: client, message: Wrong., hint: Read the docs. }`;
  const schema = `{ type: object, additionalProperties: false, required: [kind], properties: { kind: { enum: [client] }, message: { type: string }, hint: { type: string } } }`;
  const declared = await start(documentWith(`default: ${json(schema, "application/json", example)}`), { mock: true });
  t.match((await declared.get("/a?n=x")).body, {
    kind: "client",
    message: /must be an integer/,
    hint: "Read the docs.",
  });
  const short = await start(
    documentWith(`400: ${json("{ type: object, required: [reason], properties: { reason: { enum: [no] } } }")}`),
    { mock: true },
  );
  t.same((await short.get("/a?n=x")).body, { reason: "no" }, "where no text may have it");
});
