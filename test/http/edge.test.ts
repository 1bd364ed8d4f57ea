// The HTTP edge with the routes of another application.
import { pino } from "pino";
import t from "tap";
import { createEdge } from "../../src/http/edge.ts";

t.test("Responds with the shape of all errors to what an application's own routes reject", async (t) => {
  const app = await createEdge({ logger: pino({ level: "silent" }), headers: { "x-content-type-options": "nosniff" } });
  t.teardown(() => app.close());
  app.get("/gone", (_, reply) => reply.callNotFound());
  app.post("/posted", async () => "posted");
  const gone = await app.inject({ url: "/gone" });
  t.match([gone.statusCode, gone.json()], [404, { code: "path_not_found", status: 404 }]);
  const type = { "content-type": "nonsense" };
  const posted = await app.inject({ method: "POST", url: "/posted", headers: type, payload: "x" });
  t.match([posted.statusCode, posted.json()], [415, { code: "unsupported_media_type", status: 415 }]);
  t.equal(posted.headers["x-content-type-options"], "nosniff");
});
