// What could only be answered with something that the document does not say is a 501.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const object = (properties: string, required = "") =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;
const path = (name: string, schema = "schema: { type: string }") =>
  `parameters: [{ name: ${name}, in: path, required: true, ${schema} }]`;

const maps = documentOf(`  /genes/{geneId}:
    ${path("geneId")}
    get: { operationId: getGene, ${ok("{ type: object, additionalProperties: { type: string } }")} }
`);

testLikely("a key of a map is no id of a record", maps, async (t, send) => {
  t.match(await send("GET", "/genes/1"), { status: 501, body: { message: /returns what no POST/ } });
});
