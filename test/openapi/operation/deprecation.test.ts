// The headers of deprecated operations.
import t from "tap";
import { parse } from "yaml";
import { parseDocument } from "../../../src/openapi/index.ts";
import { editDocument, setOperation } from "../../support/document.ts";
import { documentOf } from "../../support/document-server.ts";
import { documentText } from "../../support/files.ts";
import { minimalPet, start } from "../../support/service.ts";

t.test("Sends Deprecation, Sunset and Link on every response of a deprecated operation", async (t) => {
  const service = await start(t, {
    document: editDocument(setOperation("getPet", { "x-deprecated-since": "2027-03-04", "x-sunset": "2031-02-28" })),
  });
  const { id } = await service.create(minimalPet);
  const headers = {
    deprecation: "@1804118400",
    sunset: "Fri, 28 Feb 2031 00:00:00 GMT",
    link: '</docs#/Pets/getPet>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
  };
  for (const [path, call, status] of [
    [`/v1/pets/${id}`, {}, 200],
    ["/v1/pets/0", {}, 404],
    ["/v1/pets/x", {}, 400],
    [`/v1/pets/${id}`, { key: null }, 401],
  ] as const)
    t.match(await service.call("GET", path, call), { status, headers }, `on ${status}`);
  t.equal((await service.call("GET", "/v1/pets")).headers.deprecation, undefined, "not on other operations");
});

t.test("An operation without x-deprecated-since is deprecated since the release of the document", async (t) => {
  const service = await start(t, {
    document: editDocument(setOperation("listPets", { deprecated: true, "x-sunset": "2031-01-01" })),
    settings: { BASE_URL: "https://pets.example/shop/v1" },
  });
  await service.create(minimalPet);
  await service.create(minimalPet);
  const { headers } = await service.call("GET", "/v1/pets?limit=1");
  t.equal(headers.deprecation, `@${Date.parse(parse(documentText).info["x-released"]) / 1000}`);
  t.match(
    headers.link,
    /^<https:\/\/pets.example\/shop\/docs#\/Pets\/listPets>; rel="deprecation"; type="text\/html", <https:\/\/pets.example\/shop\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    "one Link header has the links of the operation and of the page",
  );
});

t.test("A successor can be in a path item behind a reference, and have no operationId", async (t) => {
  const deprecated = (successor: string) =>
    `{ get: { operationId: old, deprecated: true, x-deprecated-since: 2026-01-01, x-successor: ${successor}, responses: { 204: { description: x } } } }`;
  const item =
    "components: { pathItems: { New: { get: { operationId: new, responses: { 204: { description: x } } } } } }";
  const behind = documentOf(`  /old: ${deprecated("new")}\n  /new: { $ref: "#/components/pathItems/New" }`, item);
  const unnamed = documentOf(
    `  /old: ${deprecated("getNew")}\n  /new: { get: { responses: { 204: { description: x } } } }`,
  );
  for (const text of [behind, unnamed]) {
    const { operations } = await parseDocument(text);
    t.match(operations, [{ id: "old", deprecation: { successor: "/new" } }, {}]);
  }
});
