// The document from which fastify-openapi-glue creates the routes.
import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { toGlueDocument } from "../../../src/openapi/routing/glue-document.ts";
import { isRouteDocument } from "../../../src/patches/route-document.ts";
import { documentOf } from "../../support/document-server.ts";

const operation = (id: string) => `{ operationId: ${id}, responses: { 204: { description: x } } }`;
const { operations } = await parseDocument(
  documentOf(`  /a/{b}:
    parameters: [{ name: b, in: path, required: true, schema: { type: string } }]
    get: ${operation("read")}
    put: ${operation("write")}
    trace: ${operation("trace")}
`),
);

t.test("Has the routes of the methods that fastify-openapi-glue knows", async (t) => {
  const { paths } = toGlueDocument(operations) as { paths: Record<string, Record<string, { operationId: string }>> };
  t.strictSame(Object.keys(paths), [operations[0]?.template.routerPath]);
  const [item] = Object.values(paths);
  t.strictSame(
    Object.entries(item ?? {}).map(([method, { operationId }]) => [method, operationId]),
    [
      ["get", "read"],
      ["put", "write"],
    ],
  );
});

t.test("The plugin does not compare the document of the routes with the schema of OpenAPI, but others", async (t) => {
  const invalid = { swagger: "2.0", info: {}, paths: {} };
  t.match(await new Validator().validate({ ...invalid }), { valid: false });
  t.match(await new Validator().validate({ ...invalid, [isRouteDocument]: true }), { valid: true });
  t.match(toGlueDocument([]), { [isRouteDocument]: true });
});
