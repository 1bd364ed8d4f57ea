// The log lines of Fastify about requests, if the error handler of an app fails.
import { pino } from "pino";
import t from "tap";
import { createFastify } from "../../../src/http/fastify.ts";

t.test("Logs no query if the error handler fails, or if the headers of an error can't be sent", async (t) => {
  const logs: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => void logs.push(line) });
  const app = createFastify({ logger: logger as never });
  t.teardown(() => app.close());
  app.setErrorHandler(() => {
    throw new Error("the error handler failed");
  });
  app.get("/a", (_request, reply) => {
    reply.header("x y", "1");
    throw new Error("a bug");
  });
  const { statusCode } = await app.inject("/a?key=secret");
  t.equal(statusCode, 500);
  t.match(logs.join(""), /the error handler failed/);
  t.match(logs.join(""), /Header name must be a valid HTTP token/);
  t.equal(logs.filter((line) => line.includes('"url":"/a"')).length, 3, "each line about the request");
  t.notMatch(logs.join(""), /secret/);
});
