// The command openapi-server: its arguments, mock and generate.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { libraryText } from "../support/library.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const place = folder(t);
const save = (name: string, text: string) => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};
const library = save("library.yaml", libraryText);
const faulty = save(
  "faulty.yaml",
  documentOf(`  /x:
    post:
      requestBody: { content: { application/xml: { schema: { type: object } } } }
      responses: { 200: { description: x, content: { application/json: { schema: { maxLenght: 5 } } } } }
`),
);

t.test("mock serves the document until it is stopped", async (t) => {
  const controller = new AbortController();
  const { code, stdout } = await run(["mock", library, "--port", "0", "--log"], controller.signal);
  t.equal(code, 0);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+), with its documentation/.exec(stdout) ?? [];
  const response = await fetch(`${url}/city-library/v2/books`); // logged as JSON, which is not TAP
  t.match(await response.json(), [{ title: "text" }]);
  controller.abort();
  await t.rejects(async () => {
    for (;;) await fetch(`${url}/city-library/v2/books`);
  });
});

t.test("mock logs no requests by default", async (t) => {
  const controller = new AbortController();
  t.match(await run(["mock", library, "--port", "0"], controller.signal), { code: 0 });
  controller.abort();
});

t.test("generate writes the types of handlers, to a file or to standard output", async (t) => {
  const { stdout } = await run(["generate", library]);
  t.match(stdout, /\bid: bigint;/);
  t.match(await run(["generate", faulty]), {
    code: 1,
    stdout: "",
    stderr: /did you mean maxLength\? .*faulty\.yaml:\d+/,
  });
  t.match(await run(["generate", faulty, "--no-strict"]), { code: 0, stdout: /"application\/xml": /, stderr: "" });
  const config = save("config.mjs", 'export default { ignore: ["misspelled"] };');
  t.match(await run(["generate", faulty, "--config", config]), { code: 0, stdout: /"application\/xml": / });
  const output = join(place, "operations.ts");
  t.match(await run(["generate", library, "--output", output]), { code: 0, stdout: "" });
  t.equal(readFileSync(output, "utf8"), stdout);
});

t.test("Reports errors with exit code 1, a wrong command line with 2, and shows its help", async (t) => {
  t.match(await run(["check", join(place, "nothing.yaml")]), {
    code: 1,
    stderr: /^openapi-server: The document .* can't be read/,
  });
  t.match(await run(["check", "https://pets.example/openapi.json"]), {
    code: 1,
    stderr:
      "openapi-server: The document must be a file, and not https://pets.example/openapi.json. Download it first.",
  });
  t.match(await run(["mock", library, "--port", "70000"]), {
    code: 2,
    stderr: /--port must be an integer from 0 to 65535/,
  });
  t.match(await run(["mock", library, "--port", "x"]), { code: 2, stderr: /--port must be an integer/ });
  t.match(await run(["unknown"]), { code: 2, stderr: "openapi-server: unknown command 'unknown'\n" });
  t.match(await run(["check"]), {
    code: 2,
    stdout: "",
    stderr: "openapi-server: missing required argument 'documents'\n",
  });
  const help = await run(["--help"]);
  t.match(help, { code: 0, stdout: /serve .*mock .*check .*generate .*Exit codes:.* {2}2 {2}invalid/s, stderr: "" });
  t.match(await run([]), { code: 2, stdout: "", stderr: /^Usage: openapi-server/ });
  t.match(await run(["--version"]), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
});
