// The styles of queries in a generated client: what openapi-fetch sends with them is what the server reads.
import createClient from "openapi-fetch";
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../../src/index.ts";
import { parseDocument } from "../../../src/openapi/index.ts";
import { generateClientModule } from "../../../src/openapi/types/modules.ts";
import { listQueryStyles } from "../../../src/openapi/types/query-styles.ts";
import { documentOf } from "../../support/document-server.ts";

const list = "schema: { type: array, items: { type: string } }";
const object = "schema: { type: object, properties: { a: { type: string }, b: { type: string } } }";
const cases: Record<string, string> = {
  form: `${list} }, { name: o, in: query, style: form, explode: false, ${object}`,
  commas: `explode: false, ${list} }, { name: o, in: query, ${object}`,
  spaces: `style: spaceDelimited, ${list} }, { name: o, in: query, style: deepObject, explode: true, ${object}`,
  pipes: `style: pipeDelimited, explode: false, ${list}`,
  mixed: `style: pipeDelimited, ${list} }, { name: o, in: query, ${list}`,
  plain: "schema: { type: string }",
};
const document = await parseDocument(
  documentOf(
    Object.entries(cases)
      .map(
        ([name, rest]) =>
          `  /${name}: { get: { parameters: [{ name: q, in: query, ${rest} }], responses: { 200: { description: x, content: { application/json: {} } } } } }\n`,
      )
      .join(""),
  ),
);

t.test("The server reads what openapi-fetch sends in the style of an operation", async (t) => {
  const echo = async ({ query }: { query: unknown }) => ({ status: 200, body: query });
  const app = await createServer({
    document,
    handlers: Object.fromEntries(document.operations.map(({ id }) => [id, echo])) as never,
    logger: pino({ level: "silent" }),
  });
  t.teardown(() => app.close());
  const baseUrl = await app.listen({ host: "127.0.0.1", port: 0 });
  const styles = listQueryStyles(document);
  t.same(Object.keys(styles), ["GET /form", "GET /commas", "GET /spaces", "GET /pipes"]);
  // biome-ignore lint/suspicious/noExplicitAny: the module of this document is not generated before the test
  const client = createClient<any>({ baseUrl });
  for (const name of ["form", "commas", "spaces", "pipes"]) {
    const query = { q: ["x", "y&z"], ...(name !== "pipes" && { o: { a: "1", b: "2" } }) };
    const { data } = await client.GET(`/${name}`, {
      params: { query },
      querySerializer: styles[`GET /${name}`] as never,
    });
    t.same(data, query, name);
  }
  t.match(await generateClientModule(document), /querySerializers = \{\n {2}"GET \/form": \{\n[^;]+\} as const;\n$/);
});
