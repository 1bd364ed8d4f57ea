// The messages in docs/troubleshooting.md are those of the service. test/tooling/docs.test.ts runs the examples of the page.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { errors } from "../../src/pets/errors.ts";
import { root } from "../support/files.ts";
import { addKey, start } from "../support/service.ts";

const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
const sources = globSync("src/**/*.{ts,js}", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));

// A number in a message depends on a setting.
const withoutNumbers = (text: string) => text.replaceAll(/\d+ (\w+?)s?\b/g, "N $1");
const shown = [...page.matchAll(/^\{"code":.*\}$/gm)].map(([text]) => JSON.parse(text));
const isShown = ({ text }: { text: string }) =>
  shown.some(({ message }) => withoutNumbers(message) === withoutNumbers(JSON.parse(text).message));

t.test("Each error has the status of its code", async (t) => {
  t.ok(shown.length > 5, `${shown.length} errors`);
  for (const { code, status } of shown) t.equal(status, errors[code as keyof typeof errors], code);
});

t.test("The messages of 401, 429 and 507 are those of the service", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "2/60s", MAX_RECORDS: "1" } });
  const create = (key: string) => service.call("POST", "/v1/pets", { key, json: { name: "Rex", categoryId: 1 } });
  t.equal((await create(service.key)).status, 201);
  const full = await create(await addKey(service.store, "other"));
  t.match(full, { status: 507 });
  t.ok(isShown(full), full.text);
  await create(service.key);
  const limited = await create(service.key);
  t.match(limited, { status: 429 });
  t.ok(isShown(limited), limited.text);
  const wrong = await create("psk_wrong");
  t.match(wrong, { status: 401 });
  t.ok(isShown(wrong), wrong.text);
  t.notOk(isShown({ text: JSON.stringify({ message: "The store is closed." }) }), "another message is not on the page");
});

t.test("Each message in a table is in the source", async (t) => {
  const messages = [...page.matchAll(/^\| `(Th(?:e|is) [^`]+)`/gm)].map(([, message = ""]) => message);
  t.ok(messages.length > 5, `${messages.length} messages`);
  // A template, such as `The database is ${reason}.`, has its last words elsewhere.
  const isInSource = (message: string) =>
    sources.some(
      (text) =>
        text.includes(message) || text.includes(message.replace(/^The (database is|API key) /, "").slice(0, -1)),
    );
  for (const message of messages) t.ok(isInSource(message), message);
  t.notOk(isInSource("The database is asleep."));
});
