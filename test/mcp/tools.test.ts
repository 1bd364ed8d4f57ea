// The tools of documents: which operations they have, by which names, and their schemas.
import { globSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import t from "tap";
import { defineTool, listTools } from "../../src/mcp/tools.ts";
import { parseDocument, readDocument } from "../../src/openapi/index.ts";
import { startAgents } from "../support/agents.ts";
import { documentOf } from "../support/document-server.ts";
import { root, writeFiles } from "../support/files.ts";

const ok = "responses: { 204: { description: x } }";
const toolsOf = async (text: string, include?: string[]) => listTools(await parseDocument(text), include);

t.test("x-mcp excludes, includes and renames, the nearest first", async (t) => {
  const document = documentOf(
    `  /a:
    x-mcp: true
    get: { operationId: a1, x-mcp: { name: "Say it!", description: Says it. }, ${ok} }
    post: { operationId: a2, x-mcp: false, ${ok} }
  /b: { get: { operationId: b1, ${ok} }, post: { operationId: b2, x-mcp: true, tags: [other], ${ok} } }
`,
    "x-mcp: false",
  );
  const tools = await toolsOf(document);
  t.same(
    tools.map(({ name, description }) => `${name}: ${description}`),
    ["Say_it_: Says it.", "b2: POST /b"],
  );
  t.same(
    (await toolsOf(document, ["other"])).map(({ name }) => name),
    ["b2"],
  );
  t.same(
    (await toolsOf(document, ["a1", "a2"])).map(({ name }) => name),
    ["Say_it_"],
  );
  await t.rejects(toolsOf(document, ["nothing"]), { message: /^No operation has the operationId or the tag nothing/ });
  await t.rejects(toolsOf(document.replace("x-mcp: true, tags", "x-mcp: 5, tags")), {
    message: "The x-mcp of the operation b2 must be false, or an object with a name and a description.",
  });
});

t.test("Names are valid and unique, and texts are bounded and visible", async (t) => {
  const long = "x".repeat(80);
  const text = `a\\u200b\\u202eb ${"y".repeat(5_000)}`;
  const tools = await toolsOf(
    documentOf(
      `  /a: { get: { operationId: "a b", description: "${text}", ${ok} }, post: { operationId: "a/b", ${ok} }, put: { operationId: ${long}, ${ok} } }\n`,
    ),
  );
  t.same(
    tools.map(({ name }) => name),
    ["a_b", "x".repeat(60), "a_b_2"],
  );
  t.match(tools[0]?.description, /^ab y{997}…$/);
});

t.test("A path /mcp is refused", async (t) => {
  const path = writeFiles(t, { "a.yaml": documentOf(`  /mcp: { get: { operationId: get, ${ok} } }\n`) });
  await t.rejects(startAgents(t, { document: path, mock: true }), {
    message: "The operation get has the path /mcp, at which `mcp` serves agents.",
  });
});

const folder = join(root, "node_modules/@readme/oas-examples");

for (const file of globSync("3.[01]/json/*.json", { cwd: folder }).sort())
  t.test(`The schemas of ${file} are valid by themselves, and bounded`, async (t) => {
    const document = await readDocument(join(folder, file), { strict: false });
    for (const tool of listTools(document)) {
      const { name, inputSchema, outputSchema } = defineTool(tool, document, 3_000);
      t.match(name, /^[\w-]{1,64}$/);
      for (const schema of [inputSchema, outputSchema]) {
        if (schema === undefined) continue;
        t.equal(schema.type, "object");
        t.ok(JSON.stringify(schema).length <= 3_000, `${name}: ${JSON.stringify(schema).length}`);
        new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(JSON.stringify(schema)));
      }
    }
  });
