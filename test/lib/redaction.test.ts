// Redaction: API keys, passwords and rows stay out of the log.
import t from "tap";
import { escapeControlCharacters, redact } from "../../src/lib/redaction.ts";
import { createLogger } from "../../src/operate/telemetry/logger.ts";
import { findSecret } from "../support/secrets.ts";

t.test("Replaces API keys, and the user and password of URLs", async (t) => {
  for (const [text, redacted] of [
    ["Bearer psk_abc-DEF_123 failed", "Bearer psk_… failed"],
    ["psk_a, psk_b", "psk_…, psk_…"],
    ["/psk%5Fabc/PSK%5fa%62c/psk%255Fabc", "/psk_…/psk_…/psk_…"],
    ["postgres://me:p@ssword@host/x", "postgres://…@host/x"],
    ["postgresql://me:p%40ss@[::1]/x", "postgresql://…@[::1]/x"],
    ["https://host/path?mail=a@b", "https://host/path?mail=a@b"],
  ] as const)
    t.equal(redact(text), redacted);
});

t.test("Escapes control characters of C0 and C1", async (t) => {
  t.equal(escapeControlCharacters("a\u001b[31m\n\u007f\u0085é🐕"), "a\\u001b[31m\\u000a\\u007f\\u0085é🐕");
});

t.test("The log contains no values of a failed row, no keys and no passwords", async (t) => {
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
});

t.test("The search for secrets in the output of all tests finds them", async (t) => {
  for (const secret of [
    `x psk_${"a".repeat(43)} x`,
    "authorization: Bearer abcdefg",
    '{"categoryId":7}',
    "postgres://a:b@c/d",
  ])
    t.ok(findSecret(secret), secret.slice(0, 8));
  t.equal(findSecret('{"key":"alice","path":"/v1/pets","url":"http://127.0.0.1:3000/v1"}'), undefined);
});
