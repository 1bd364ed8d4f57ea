// Requests that no route can handle: unknown paths and unsupported methods.
import t from "tap";
import { parse } from "yaml";
import { documentText } from "../../support/files.ts";
import { minimalPet, start } from "../../support/service.ts";

const service = await start(t);

t.test("Responds with 405 and Allow to a method that the path does not have", async (t) => {
  const rejects = async (method: string, path: string, allow: string) =>
    t.match(
      await service.call(method, path, { key: null }),
      { status: 405, headers: { allow }, body: { code: "method_not_allowed" } },
      `${method} ${path}`,
    );
  for (const [template, item] of Object.entries<object>(parse(documentText).paths)) {
    const declared = Object.keys(item).map((method) => method.toUpperCase());
    const methods = declared.includes("GET") ? [...declared, "HEAD"] : declared;
    const allow = methods.sort().join(", ");
    const path = `/v1${template.replaceAll(/\{\w+\}/g, "x")}`;
    for (const method of ["DELETE", "PUT", "PATCH", "OPTIONS", "PROPFIND", "TRACE"])
      if (!methods.includes(method)) await rejects(method, path, allow);
    await rejects("PROPFIND", path.replace("e", "%65"), allow);
  }
  await rejects("DELETE", "/docs/", "GET, HEAD");
  await rejects("POST", "/healthz", "GET, HEAD");
  await rejects("POST", "/openapi.json", "GET, HEAD");
});

t.test("Responds with 404 to an unknown path, whatever the body", async (t) => {
  const { id } = await service.create(minimalPet);
  for (const path of [
    "/v1/pets/",
    `/v1/pets/${id}/`,
    "/v1",
    "/v1/",
    "/pets",
    "/v1/PETS",
    "/v1//pets",
    "/v2/pets",
    "/nope?x=%zz",
    "/%zz",
    "/docs/static/nope",
    "/v1/nope/nope",
  ])
    t.match(await service.call("GET", path, { key: null }), { status: 404, body: { code: "path_not_found" } }, path);
  for (const type of ["application/json", "text/plain"])
    t.match(
      await service.call("POST", "/nope", { key: null, body: "{", headers: { "content-type": type } }),
      { status: 404 },
      `with a malformed body of ${type}`,
    );
});
