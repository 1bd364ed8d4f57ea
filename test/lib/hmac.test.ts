// Signatures of short messages: src/lib/hmac.ts.
import { createHmac } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { HmacSha256 } from "../../src/lib/hmac.ts";

t.test("is HMAC-SHA-256", async (t) => {
  const key = fc.uint8Array({ maxLength: 64 });
  const messages = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1 });
  fc.assert(
    fc.property(key, messages, (key, messages) => {
      const hmac = new HmacSha256(key);
      return messages.every(
        (message) => hmac.sign(message) === createHmac("sha256", key).update(message).digest("binary"),
      );
    }),
  );
  t.throws(() => new HmacSha256(new Uint8Array(65)), { message: "the key must have at most 64 bytes" });
});
