// The spec-first server with another application: a library of books. The server has no code that is specific to it.
import t from "tap";
import { edit } from "../support/files.ts";
import { send } from "../support/http.ts";
import { libraryText, startLibrary } from "../support/library.ts";

const { app, url } = await startLibrary();
t.teardown(() => app.close());

interface Call {
  headers?: Record<string, string>;
  json?: unknown;
}

const librarian = { authorization: "Bearer shelf" };
const call = (method: string, path: string, { headers = {}, json }: Call = {}) =>
  send(
    `${url}${path}`,
    { method, headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) } },
    json === undefined ? undefined : JSON.stringify(json),
  );
const add = (json: object) => call("POST", "/books", { headers: librarian, json });
const missing = "/books/9223372036854775807";
const dune = { title: "Dune", author: "Herbert" };
const id = 9_007_199_254_740_993n;

t.test("Adds, gets, lists, replaces and removes books", async (t) => {
  const added = await add(dune);
  t.match(added, { status: 201, headers: { location: `/city-library/v2/books/${id}`, "content-type": /json/ } });
  t.same(added.body, { id, ...dune, copies: 1 }, "with the default of a field");
  const path = `/books/${id}`;
  t.same((await call("GET", path)).body, added.body);

  await add({ title: "Emma", author: "Austen" });
  await add({ title: "Persuasion", author: "Austen" });
  const list = async (query: string) => (await call("GET", `/books${query}`)).body as { title: string }[];
  const titles = async (query: string) => (await list(query)).map(({ title }) => title);
  t.same(await titles(""), ["Dune", "Emma"], "the default limit");
  t.same(await titles("?limit=3"), ["Dune", "Emma", "Persuasion"]);
  t.same(await titles("?author=Austen"), ["Emma", "Persuasion"]);

  const replaced = await call("PUT", path, { headers: librarian, json: { ...dune, copies: 0 } });
  t.match(replaced, { status: 200, body: { id, copies: 0 } });
  t.same((await call("GET", path)).body, replaced.body);

  const removed = await call("DELETE", path, { headers: librarian });
  t.match(removed, { status: 204, text: "" });
  t.equal(removed.headers["content-type"], undefined, "204 has no body and no media type");
  t.match(await call("GET", path), { status: 404 });
});

t.test("Responds with the error codes of the application", async (t) => {
  const notFound = { status: 404, body: { code: "book_not_found", status: 404 } };
  t.match(await call("GET", missing), notFound);
  t.match(await call("PUT", missing, { headers: librarian, json: dune }), notFound);
  t.match(await call("DELETE", missing, { headers: librarian }), notFound);
  const taken = {
    status: 409,
    body: { code: "title_taken", message: "Another book has the title Emma.", status: 409 },
  };
  t.match(await add({ title: "Emma", author: "Austen" }), taken);
  t.match(await call("PUT", `/books/${id + 2n}`, { headers: librarian, json: { ...dune, title: "Emma" } }), taken);
});

t.test("Validates parameters and bodies", async (t) => {
  const message = async (method: string, path: string, json?: unknown) => {
    const { status, body } = await call(method, path, { headers: librarian, json });
    return [status, (body as { message: string }).message];
  };
  t.same(await message("GET", "/books?limit=51"), [400, "The query parameter 'limit' must be at most 50."]);
  t.same(await message("GET", "/books?writer=x"), [
    400,
    "The request has the unknown query parameter 'writer'. Known query parameters: author, limit.",
  ]);
  t.match(await message("GET", "/books/9223372036854775808"), [400, /'bookId' must be an integer/]);
  t.same(await message("POST", "/books", { author: "Woolf" }), [400, "The body must have the field 'title'."]);
  t.match(await message("PUT", `/books/${id}`, { ...dune, isbn: 1 }), [400, /unknown field 'isbn'/]);
  t.same(await message("POST", "/books"), [400, "The request must have a body."]);
  t.same(await message("POST", "/books", { title: "x".repeat(1_000) }), [
    413,
    "The body exceeds the limit of 1000 bytes.",
  ]);
  const asText = { ...librarian, "content-type": "text/plain" };
  t.match(await send(`${url}/books`, { method: "POST", headers: asText }, "Dune"), { status: 415 });
});

t.test("Checks the credentials that each operation requires", async (t) => {
  const unauthorized = {
    status: 401,
    headers: { "www-authenticate": /^Bearer realm=/ },
    body: { code: "unauthorized" },
  };
  const json = { title: "Orlando", author: "Woolf" };
  t.match(await call("POST", "/books", { json }), unauthorized);
  t.match(await call("POST", "/books", { json, headers: { "x-terminal": "hall" } }), { status: 201 });
  t.match(await call("DELETE", missing, { headers: { "x-terminal": "hall" } }), unauthorized, "not for a terminal");
  t.match(await call("PUT", missing, { json, headers: { authorization: "Bearer wrong" } }), unauthorized);
  t.match(await call("GET", "/books"), { status: 200 }, "needs no credential");
});

t.test("Fails to start if a security scheme has no implementation", async (t) => {
  const text = edit(libraryText, ["type: apiKey, in: header, name: X-Terminal", "type: mutualTLS"]);
  await t.rejects(startLibrary(text), { message: /addBook requires the security scheme terminal of type mutualtls/ });
});

t.test("Responds with 404 to unknown paths and 405 to unsupported methods", async (t) => {
  const notFound = { status: 404, body: { code: "path_not_found" } };
  for (const path of ["/shelves", "/books/", "/books/1/pages"]) t.match(await call("GET", path), notFound, path);
  t.match(await send(url.replace("/city-library/v2", "/books")), notFound, "below the base path only");
  t.match(await call("PATCH", "/books/1"), { status: 405, headers: { allow: "DELETE, GET, HEAD, PUT" } });
  t.match(await call("DELETE", "/books"), { status: 405, body: { code: "method_not_allowed" } });
  t.match(await call("HEAD", "/books"), { status: 200, text: "" });
});

t.test("Announces the deprecation of an operation on each of its responses", async (t) => {
  const dates = { deprecation: "@1772323200", sunset: "Mon, 01 Mar 2027 00:00:00 GMT" };
  t.match((await call("DELETE", missing)).headers, dates, "on 401");
  const { headers } = await call("DELETE", missing, { headers: librarian });
  t.match(headers, dates, "on 404");
  t.match(headers.link, /rel="deprecation"/);
  t.notMatch(headers.link, /successor/);
  t.equal((await call("GET", missing)).headers.deprecation, undefined, "not on other operations");
});
