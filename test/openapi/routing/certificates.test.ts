// Security schemes that check their credential by themselves, such as the certificate of a client.
import t from "tap";
import { HttpError } from "../../../src/http/index.ts";
import { documentOf, serve } from "../../support/document-server.ts";

t.test("An optional scheme that the server can't read is always checked", async (t) => {
  const paths =
    "  /x: { get: { operationId: x, security: [{ tls: [] }, {}], responses: { 204: { description: x } } } }";
  const schemes = "components: { securitySchemes: { tls: { type: mutualTLS } } }";
  const authenticate = async () => ({ name: "client" });
  const { send, calls } = await serve(documentOf(paths, schemes), {
    security: { tls: { type: "mutualtls", authenticate } },
  });
  await send("GET", "/x");
  t.match(calls, [{ caller: { name: "client" } }]);
});

t.test("A scheme with its own authenticate rejects a request for which it returns no caller", async (t) => {
  const schemes =
    "components: { securitySchemes: { tls: { type: mutualTLS }, digest: { type: http, scheme: digest } } }";
  const path = (name: string, security: string) =>
    `  /${name}: { get: { operationId: ${name}, security: ${security}, responses: { 204: { description: x } } } }\n`;
  const text = documentOf(
    path("tls", "[{ tls: [] }]") +
      path("digest", "[{ digest: [] }]") +
      path("any", "[{ tls: [] }, {}]") +
      path("both", "[{ tls: [], digest: [] }, {}]"),
    schemes,
  );
  for (const nobody of [undefined, null, false]) {
    const authenticate = async () => nobody;
    const { send, calls } = await serve(text, {
      security: { tls: { type: "mutualtls", authenticate }, digest: { type: "http digest", authenticate } },
    });
    t.match(await send("GET", "/tls"), {
      status: 401,
      headers: { "www-authenticate": /^MutualTLS realm="[^"]*"$/ },
      body: { message: "This operation requires a credential: security scheme tls." },
    });
    t.match(await send("GET", "/digest"), { status: 401, headers: { "www-authenticate": /^digest realm="[^"]*"$/ } });
    t.same(calls, []);
    for (const url of ["/any", "/both"]) t.match(await send("GET", url), { status: 204 }, "no credential is required");
    t.match(calls, [{ caller: undefined }, { caller: undefined }]);
    const forged = { headers: { authorization: 'Digest username="eve"' } };
    t.match(await send("GET", "/both", forged), { status: 401 }, "a credential that was sent must be valid");
    const valid = await serve(text, {
      security: {
        tls: { type: "mutualtls", authenticate: async () => 1 },
        digest: { type: "http digest", authenticate },
      },
    });
    t.match(await valid.send("GET", "/both"), { status: 401 }, "the other one is missing");
    const throws = async () => {
      throw new HttpError("too_many_requests", "Locked.");
    };
    const locked = await serve(text, {
      security: { tls: { type: "mutualtls", authenticate }, digest: { type: "http digest", authenticate: throws } },
    });
    t.match(await locked.send("GET", "/both"), { status: 204 }, "a check behind one that failed is not run");
  }
});
