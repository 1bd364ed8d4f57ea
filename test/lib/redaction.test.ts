// Redaction: keys, passwords and values of rows stay out of the log, and the search for secrets finds them.
import t from "tap";
import { redact } from "../../src/lib/redaction.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { findSecret } from "../support/secrets.ts";
import { start } from "../support/service.ts";

t.test("The log has neither values of a failed row, nor keys, nor passwords", async (t) => {
  const lines: string[] = [];
  const log = await createLogger("info", { write: (line: string) => void lines.push(line) });
  const error = Object.assign(new Error("can't reach postgres://me:secret@db/x with psk_0123456789abcdefghij"), {
    code: "23502",
    detail: "Failing row contains (Rex).",
    parameters: ["Rex"],
  });
  log.error({ err: error, url: "postgresql://me:p%40ss@[::1]/x" }, "Bearer psk_0123456789abcdefghij failed");
  t.notMatch(lines.join(), /Rex|secret|0123456789|me:|p%40ss/);
  t.match(JSON.parse(lines[0] as string), {
    err: {
      type: "Error",
      message: "can't reach postgres://…@db/x with psk_…",
      code: "23502",
      stack: /redaction\.test/,
    },
    url: "postgresql://…@[::1]/x",
  });
  t.equal(redact("postgres://me:p@ssword@host/x"), "postgres://…@host/x", "a password with an @");
});

t.test("The search for secrets, which all output of the tests passes, finds them", async (t) => {
  for (const secret of [
    `x psk_${"a".repeat(43)} x`,
    "authorization: Bearer abcdefg",
    '{"categoryId":7}',
    "postgres://a:b@c/d",
  ])
    t.ok(findSecret(secret), secret.slice(0, 8));
  t.equal(findSecret('{"key":"alice","path":"/v1/pets","url":"http://127.0.0.1:3000/v1"}'), undefined);
});

t.test(
  "An exception in a handler is a 500 without its message; the log has it, and the next call is served",
  async (t) => {
    const getPet = async () => {
      throw new Error("injected");
    };
    const listPets = () => {
      throw new TypeError("injected, too");
    };
    const { call, create, logs } = await start(t, { handlers: { ...handlers, getPet, listPets } });
    for (const path of ["/v1/pets/1", "/v1/pets"]) {
      const { status, text } = await call("GET", path);
      t.match({ status, text }, { status: 500, text: /"code":"internal_error"/ });
      t.notMatch(text, /injected/);
    }
    t.ok(await create({ name: "next", categoryId: 1 }));
    t.match(
      logs.filter(({ level }) => level === 50).map(({ err }) => err),
      [
        { type: "Error", message: "injected" },
        { type: "TypeError", message: "injected, too" },
      ],
    );
  },
);
