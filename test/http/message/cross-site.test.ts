// Requests that a browser sends for pages of other sites: DNS rebinding, forms, images and links.
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { pino } from "pino";
import t, { type Test } from "tap";
import { createEdge } from "../../../src/http/edge.ts";
import { crossSite } from "../../../src/http/message/cross-site.ts";

async function start(t: Test, { origins = ["https://app.example"], localAddress = "127.0.0.1" } = {}) {
  const app = await createEdge({ logger: pino({ level: "silent" }), headers: {} });
  app.addHook(
    "onRequest",
    async ({ socket }) => void Object.defineProperty(socket, "localAddress", { value: localAddress }),
  );
  await app.register(crossSite, { hosts: ["Pets.example", "fd00::7"], origins, settings: ["HOSTS", "ORIGINS"] });
  app.get("/x", async () => "read");
  app.post("/x", async () => "written");
  t.teardown(() => app.close());
  const call = async (headers: Record<string, string>, method: "GET" | "POST" = "GET") => {
    const response = await app.inject({ method, url: "/x", headers: { host: "localhost:3000", ...headers } });
    return response.statusCode < 400 ? response.statusCode : `${response.statusCode} ${response.json().code}`;
  };
  return { app, call };
}

t.test("Accepts localhost, loopback addresses and the names of the server as Host, in any form", async (t) => {
  const { call } = await start(t);
  const hosts =
    "localhost LOCALHOST:3000 localhost. a.b.localhost:1 127.0.0.1 127.9.9.9:80 127.1 127.0.0.1. [::1]:3000";
  for (const host of `${hosts} [0:0::1] [::ffff:127.0.0.1] pets.example PETS.example.:8080 [fd00:0::7]:3000`.split(" "))
    t.equal(await call({ host }), 200, host);
  t.equal(await call({ host: "" }), 200, "a client that knows no host is no browser");
});

t.test("Responds with 421 to another Host, and says how to allow it", async (t) => {
  const { app, call } = await start(t);
  const names =
    "evil.example evil.example:3000 localhost.evil.example my-localhost 127.0.0.1.evil.example pets.example.evil";
  for (const host of `${names} 192.0.2.7 [2001:db8::1]:3000 10.0.0.1:80 0.0.0.0 x_y localhost..`.split(" "))
    for (const method of ["GET", "POST"] as const)
      t.equal(await call({ host }, method), "421 misdirected_request", `${method} ${host}`);
  const { statusCode, payload } = await app.inject({ url: "/x", headers: { host: "Evil.example:1" } });
  t.equal(statusCode, 421);
  t.match(
    payload,
    "The host evil.example is not a name of this server. If it is, such as behind a reverse proxy, add it to HOSTS.",
  );
});

t.test("Accepts each address as Host, and no other name, if the connection is not one of loopback", async (t) => {
  const { call } = await start(t, { localAddress: "192.0.2.7" });
  for (const host of ["192.0.2.7:3000", "198.51.100.1", "[2001:db8::1]", "localhost", "pets.example"])
    t.equal(await call({ host }), 200, host);
  t.equal(await call({ host: "evil.example" }), "421 misdirected_request");
  const own = { host: "192.0.2.7:3000" };
  t.equal(await call({ ...own, origin: "http://192.0.2.7:3000" }, "POST"), 200, "a page of the server itself");
  t.equal(await call({ ...own, origin: "http://192.0.2.66" }, "POST"), "403 cross_site_request", "of another address");
});

t.test("Responds with 403 to pages of other origins, also to forms, and says how to allow them", async (t) => {
  const { app, call } = await start(t);
  const form = { "content-type": "text/plain" };
  for (const origin of ["http://evil.example", "null", "https://app.example.evil", "http://192.0.2.7", "file://", ""])
    for (const method of ["GET", "POST"] as const)
      t.equal(await call({ ...form, origin }, method), "403 cross_site_request", `${method} of ${origin}`);
  for (const origin of ["https://app.example", "http://localhost:5173", "http://127.0.0.1", "https://pets.example"])
    t.equal(await call({ ...form, origin, "sec-fetch-site": "cross-site" }, "POST"), 200, origin);
  const { payload } = await app.inject({ method: "POST", url: "/x", headers: { origin: "http://evil.example" } });
  t.match(payload, "Pages of http://evil.example must not use this server. If they may, add their origin to ORIGINS.");
  const open = await start(t, { origins: ["*"] });
  t.equal(
    await open.call({ origin: "http://evil.example", "sec-fetch-site": "cross-site" }, "POST"),
    200,
    "any origin",
  );
  t.equal(await open.call({ host: "evil.example" }), "421 misdirected_request", "a name is no origin");
});

t.test("Responds with 403 to images and forms of other sites without Origin, and not to links", async (t) => {
  const { call } = await start(t);
  const site = { "sec-fetch-site": "cross-site" };
  const link = { ...site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  t.equal(await call({ ...site, "sec-fetch-mode": "no-cors" }), "403 cross_site_request");
  t.equal(await call({ ...link, "sec-fetch-dest": "object" }), "403 cross_site_request");
  t.equal(await call(link), 200);
  t.equal(await call(link, "POST"), "403 cross_site_request");
  for (const value of ["same-origin", "same-site", "none"])
    t.equal(await call({ "sec-fetch-site": value }, "POST"), 200);
});

t.test("Compares the host of a URL as target, and accepts HTTP/1.0 without Host", async (t) => {
  const { app } = await start(t);
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const status = async (request: string) =>
    (await readText(connect(Number(port), "127.0.0.1").end(`${request}\r\nConnection: close\r\n\r\n`))).slice(9, 12);
  t.equal(await status("GET http://evil.example/x HTTP/1.1\r\nHost: localhost"), "421");
  t.equal(await status("GET http://localhost/x HTTP/1.1\r\nHost: evil.example"), "421");
  t.equal(await status("GET http://localhost:1/x HTTP/1.1\r\nHost: localhost:1"), "200");
  t.equal(await status("GET /x HTTP/1.0"), "200");
  t.equal(await status("GET /x HTTP/1.0\r\nHost: evil.example"), "421");
  t.equal(await status("GET /x HTTP/1.1\r\nHost: localhost@evil.example"), "400", "is no host");
  t.equal(await status("GET /nothing HTTP/1.1\r\nHost: evil.example"), "404", "behind the check of the path");
});
