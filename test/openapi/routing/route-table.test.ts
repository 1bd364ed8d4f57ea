// The document from which fastify-openapi-glue creates the routes.
import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { toRouteTable } from "../../../src/openapi/routing/route-table.ts";
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
  const { paths } = toRouteTable(operations) as { paths: Record<string, Record<string, { operationId: string }>> };
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

t.test("Is valid, and accepted without compiling the schema of OpenAPI", async (t) => {
  const { openapi, info, paths } = toRouteTable(operations) as Record<string, unknown>;
  const table = { openapi, info, paths };
  t.match(await new Validator().validate(table), { valid: true }, "compared with the schema");
  const validator = new Validator();
  t.match(await validator.validate(toRouteTable(operations) as Record<string, unknown>), { valid: true });
  t.strictSame((validator as unknown as { ajvValidators: object }).ajvValidators, {}, "the compiled schemas");
});

t.test("The validator validates all other documents", async (t) => {
  t.match(await new Validator().validate({ openapi: "3.1.0", paths: {} }), { valid: false });
  t.match(await new Validator().validate({ openapi: "3.1.0", paths: {}, "x-route-table": true }), { valid: false });
  t.match(await new Validator().validate(undefined as never), { valid: false });
  t.match(await new Validator().validate("openapi: 3.1.0\n"), { valid: false });
});
