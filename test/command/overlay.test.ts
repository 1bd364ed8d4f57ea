// Overlays change a document before it is served (OpenAPI Overlay Specification 1.0 and 1.1).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { readWithOverlays } from "../../src/command/inputs/overlay.ts";
import { readDocument } from "../../src/openapi/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const thing = "content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }";
const text = documentOf(
  `  /things:
    post: { operationId: addThing, tags: [a, b], requestBody: { ${thing} }, responses: { 201: { description: x, ${thing} } } }
  /things/{ref}:
    parameters: [{ name: ref, in: path, required: true, schema: { type: string } }]
    get: { operationId: getThing, responses: { 200: { description: x, ${thing} } } }
`,
  "components: { schemas: { Thing: { type: object, properties: { id: { type: string }, code: { type: string }, limit: { const: 9007199254740993 } } } } }\n",
);

function save(t: Test, actions: string, version = "1.0.0") {
  const place = folder(t);
  const [file, overlay] = [join(place, "things.yaml"), join(place, "overlay.yaml")];
  writeFileSync(file, text);
  writeFileSync(overlay, `overlay: ${version}\ninfo: { title: T, version: "1" }\nactions: ${actions}\n`);
  return { file, overlay };
}

type Json = Record<string, Record<string, Record<string, unknown>>>;

t.test("An overlay changes what is understood of a document", async (t) => {
  const { file, overlay } = save(
    t,
    `[{ target: "$.paths['/things/{ref}']", update: { x-resource: { id: code, name: codes } } }]`,
  );
  t.match((await run(["serve", file, "--plan"])).stdout, /things: the id is id, a string/);
  t.match((await run(["serve", file, "--plan", "--overlay", overlay])).stdout, /codes: the id is code, a string/);
});

t.test("Actions merge objects, add to arrays, replace values and remove, in their order", async (t) => {
  const { file, overlay } = save(
    t,
    `
  - { target: "$.paths['/things'].post", update: { summary: S, responses: { "201": { description: y } } } }
  - { target: "$.paths['/things'].post.tags", update: c }
  - { target: "$.paths['/things'].post.tags[?@=='a' || @=='b']", remove: true }
  - { target: "$.paths.*.get.operationId", update: readThing }
  - { target: "$.components.schemas.Thing.properties.id", remove: true }`,
  );
  const { paths, components } = (await readWithOverlays(file, [overlay])) as { paths: Json; components: Json };
  t.match(paths["/things"]?.post, { summary: "S", tags: ["c"], responses: { 201: { description: "y", content: {} } } });
  t.equal(paths["/things/{ref}"]?.get?.operationId, "readThing");
  const { properties } = components.schemas?.Thing as { properties: Json };
  t.same(Object.keys(properties), ["code", "limit"]);
  t.equal(properties.limit?.const as unknown, 9007199254740993n, "numbers are exact");
});

t.test("Version 1.1 concatenates arrays, copies values, and allows a target without a match", async (t) => {
  const { file, overlay } = save(
    t,
    `
  - { target: "$.paths['/things'].post.tags", update: [c, d] }
  - { target: "$.paths['/things'].post.tags", update: e }
  - { target: "$.paths['/things'].post", update: { tags: [f] } }
  - { target: "$.nothing", update: { a: 1 } }
  - { target: "$.nothing", remove: true }
  - { target: "$.nothing", copy: $.nowhere }
  - { target: $.paths, update: { /copies: { get: { operationId: getCopy } } } }
  - { target: "$.paths['/copies']['get']", copy: "$.paths['/things/{ref}'].get.responses" }
  - { target: "$.paths['/copies']", copy: "$.paths['/copies']" }
  - { target: "$.paths['/copies'].get['200']", update: { description: y } }
  - { target: "$.paths['/copies'].get.operationId", copy: $.info.title }
  - { target: "$.paths['/things'].post.tags", copy: "$.paths['/things'].post.tags" }`,
    "1.1.0",
  );
  const { paths } = (await readWithOverlays(file, [overlay])) as { paths: Json };
  const tags = ["a", "b", "c", "d", "e", "f"];
  t.same(paths["/things"]?.post?.tags, [...tags, ...tags]);
  t.match(paths["/copies"]?.get, { operationId: "Test", 200: { description: "y", content: {} } });
  t.match(paths["/things/{ref}"]?.get, { operationId: "getThing", responses: { 200: { description: "x" } } }, "a copy");
});

t.test("Version 1.0 adds an array as an item", async (t) => {
  const { file, overlay } = save(t, `[{ target: "$.paths['/things'].post.tags", update: [c] }]`, "1.0.1");
  const { paths } = (await readWithOverlays(file, [overlay])) as { paths: Json };
  t.same(paths["/things"]?.post?.tags, ["a", "b", ["c"]]);
});

t.test("Changes one of the places that an alias of YAML has", async (t) => {
  const { file, overlay } = save(
    t,
    `
  - { target: "$.paths['/b'].get.responses['200']", update: { description: y, x-n: [&n { m: 1 }, *n] } }
  - { target: "$.paths['/b'].get.responses['200']['x-n'][0]", update: { m: 2 } }`,
  );
  const paths = `  /a: { get: { operationId: a, responses: &r { 200: { description: x } } } }
  /b: { get: { operationId: b, responses: *r } }\n`;
  writeFileSync(file, documentOf(paths));
  const changed = (await readWithOverlays(file, [overlay])) as { paths: Json };
  t.same(changed.paths["/a"]?.get?.responses, { 200: { description: "x" } });
  t.same(changed.paths["/b"]?.get?.responses, { 200: { description: "y", "x-n": [{ m: 2 }, { m: 1 }] } });
});

t.test("Removes the items that a target selects, in any order and once", async (t) => {
  for (const [target, rest] of [
    ["[1,0]", []],
    ["[0,0]", ["b"]],
    ["[-1,0]", []],
    ["[:1]", ["b"]],
  ] as const) {
    const { file, overlay } = save(t, `[{ target: "$.paths['/things'].post.tags${target}", remove: true }]`);
    const { paths } = (await readWithOverlays(file, [overlay])) as { paths: Json };
    t.same(paths["/things"]?.post?.tags, rest, target);
  }
});

t.test("An overlay of version 1.1 that is wrong is an error, which names it", async (t) => {
  const post = "$.paths['/things'].post";
  for (const [action, message] of [
    [`target: "${post}"`, /must have update, copy, or remove: true/],
    [`target: "${post}", update: {}, copy: $.info`, /must have update, copy, or remove: true/],
    [`target: "${post}", copy: $.nothing`, /The copy \$\.nothing of the overlay .* must select one value/],
    [`target: "${post}", copy: $.paths.*`, /The copy \$\.paths\.\* of the overlay .* must select one value/],
    [`target: "${post}", copy: "$["`, /is no JSONPath/],
    [`target: "${post}", update: x`, /of the overlay .* merges a primitive value into an object\./],
    [`target: "${post}", update: { tags: x }`, /merges a primitive value into an array\./],
    [`target: "${post}", update: { operationId: {} }`, /merges an object into a primitive value\./],
    [`target: "${post}.*", update: {}`, /The target .* must not select a primitive value and an array and an object\./],
  ] as const) {
    const { file, overlay } = save(t, `[{ ${action} }]`, "1.1.0");
    await t.rejects(readWithOverlays(file, [overlay]), { message }, action);
  }
  for (const version of ["1.2.0", "1.10.0", "2.0.0", "1"]) {
    const { file, overlay } = save(t, "[{ target: $.paths, update: {} }]", `"${version}"`);
    await t.rejects(readWithOverlays(file, [overlay]), { message: /Other versions are not supported/ }, version);
  }
});

t.test("An overlay that is wrong is an error, which names it", async (t) => {
  for (const [actions, message] of [
    ["[]", /overlay\.yaml must have a list of actions/],
    ["[{ update: {} }]", /An action of the overlay .*overlay\.yaml must have a target, a JSONPath/],
    ['[{ target: "$.paths" }]', /The action \$\.paths of the overlay .* must have update, or remove: true/],
    ['[{ target: "$.paths[", update: {} }]', /The target \$\.paths\[ of the overlay .* is no JSONPath/],
    ['[{ target: "$.nothing", update: {} }]', /The target \$\.nothing of the overlay .* is not in the document/],
    ["[", /overlay\.yaml is invalid/],
  ] as const) {
    const { file, overlay } = save(t, actions);
    t.match(await run(["serve", file, "--plan", "--overlay", overlay]), { code: 1, stderr: message }, actions);
  }
  const { file, overlay } = save(t, '[{ target: "$.paths", update: {} }]', '"2.0"');
  t.match(
    (await run(["serve", file, "--plan", "--overlay", overlay])).stderr,
    /must have overlay: 1\.0\.0 or 1\.1\.0\./,
  );
  t.match((await run(["serve", file, "--plan", "--overlay", `${overlay}.none`])).stderr, /can't be read/);
});

t.test("References stay relative to the folder of the document, which they may not leave", async (t) => {
  const place = folder(t);
  const inWorkingFolder = join(process.cwd(), "openapi/petstore.yaml#/components/schemas/Pet");
  writeFileSync(join(place, "a.yaml"), "const: from a\n");
  writeFileSync(join(place, "b.yaml"), "const: from b\n");
  const schemas = `{ A: { $ref: a.yaml }, Pet: { $ref: ${JSON.stringify(inWorkingFolder)} } }`;
  const [file, overlay] = [join(place, "api.yaml"), join(place, "overlay.yaml")];
  writeFileSync(file, documentOf("  {}", `components: { schemas: ${schemas} }`));
  const action = `{ target: $.components.schemas, update: { B: { $ref: b.yaml } } }`;
  writeFileSync(overlay, `overlay: 1.0.0\ninfo: { title: T, version: "1" }\nactions: [${action}]\n`);
  const { content, findings } = await readDocument(await readWithOverlays(file, [overlay]), { strict: false });
  t.match(content.components?.schemas, {
    A: { const: "from a" },
    B: { const: "from b" },
    Pet: { $ref: inWorkingFolder },
  });
  t.ok(findings.has("reference:outside"));
});
