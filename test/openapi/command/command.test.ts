// The command openapi-server: mock, check and generate.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommand } from "../../../src/openapi/command/index.ts";
import { documentOf } from "../../support/document-server.ts";
import { folder } from "../../support/files.ts";
import { libraryText } from "../../support/library.ts";

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

async function run(args: string[], signal?: AbortSignal) {
  const output = { stdout: "", stderr: "" };
  const write = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      output[name] += text;
    },
  });
  const code = await runCommand(args, { stdout: write("stdout"), stderr: write("stderr") }, signal);
  return { code, ...output };
}

t.test("check lists what the server would refuse, and what it would not enforce", async (t) => {
  t.same(await run(["check", library]), {
    code: 0,
    stdout: "5 operations, 0 errors, 0 warnings. The server enforces all of it.\n",
    stderr: "",
  });
  t.match(await run(["check", faulty]), {
    code: 1,
    stdout:
      /^- Error: The schema at .* has the unknown keyword "maxLenght": did you mean maxLength\? \(.*faulty\.yaml:\d+:\d+\) \[misspelled:maxLenght\]\.\n- Warning: The operation postX has a body of application\/xml, which the handler gets as a stream, without validation .*\n1 operation, 1 error, 1 warning\. The server refuses the document\.\n$/,
  });
});

t.test("check names what is left to handlers and checks, which mock accepts", async (t) => {
  const file = save(
    "notes.yaml",
    documentOf(
      "  /x:\n    get: { operationId: x, parameters: [{ name: Accept, in: header, schema: {} }], security: [{ client: [] }], responses: { 204: { description: x } } }",
      "servers: [{ url: /v1 }, { url: /v2 }, { url: 'https://a.example/v1' }, { url: / }]\ncomponents: { securitySchemes: { client: { type: mutualTLS } } }",
    ),
  );
  t.same(await run(["check", file]), {
    code: 0,
    stdout: `- Note: The operation x requires the security scheme client (mutualTLS), which needs a check with its own authenticate (${file}:7:5) [security-check].
- Note: The operation x has the header parameter Accept, which OpenAPI ignores (${file}:7:41) [ignored-header].
- Note: The paths of the document begin with /v1, as in the first server, and not with /v2 (${file}:3:1) [servers].
- Note: The paths of the document begin with /v1, as in the first server, and not with / (${file}:3:1) [servers].
1 operation, 0 errors, 0 warnings. The server enforces all of it.
`,
    stderr: "",
  });
  const controller = new AbortController();
  const { stdout } = await run(["mock", file, "--port", "0"], controller.signal);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+), with its documentation/.exec(stdout) ?? [];
  t.equal((await fetch(`${url}/v1/x`)).status, 204);
  controller.abort();
});

t.test("check names the path of another server if the first has none", async (t) => {
  const file = save("root.yaml", documentOf("  {}", "servers: [{ url: / }, { url: /v2 }]"));
  t.match(await run(["check", file]), {
    stdout: /^- Note: The paths of the document begin with \/, as in .*, and not with \/v2 /,
  });
});

t.test("An operation at /docs or /openapi.json takes the place of the documentation", async (t) => {
  for (const path of ["/docs", "/docs/json", "/openapi.json"]) {
    const file = save(
      "docs.yaml",
      documentOf(`  ${path}:\n    get: { operationId: x, responses: { 204: { description: x } } }\n`),
    );
    t.match(await run(["check", file]), {
      code: 0,
      stdout: `- Note: The server has no documentation at /docs, because x has the path ${path}.\n1 operation, 0 errors, 0 warnings. The server enforces all of it.\n`,
    });
    const controller = new AbortController();
    const { stdout } = await run(["mock", file, "--port", "0"], controller.signal);
    const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)\.\n/.exec(stdout) ?? [];
    t.equal((await fetch(`${url}${path}`)).status, 204);
    controller.abort();
  }
});

t.test(
  "check groups the parts that are wrong for the same reason, and exits with 1 if warnings are errors",
  async (t) => {
    const path = (name: string) => `  /${name}:\n    get: { responses: { 200: { description: x } }, x-sunset: x }\n`;
    const file = save("two.yaml", documentOf(path("a") + path("b")));
    const stdout =
      /has x-sunset, but is not deprecated: .* \(.*two\.yaml:6:5, and 1 more, such as .*two\.yaml:8:5\) \[extension\]\./;
    t.match(await run(["check", file]), { code: 0, stdout: /\n2 operations, 0 errors, 1 warning\. / });
    t.match(await run(["check", file]), { stdout });
    t.match(await run(["check", file, "--strict"]), {
      code: 1,
      stdout: /^- Error: .*\n2 operations, 1 error, 0 warnings\. /,
    });
    t.match(await run(["check", file, "--strict", "--ignore", "extension"]), {
      code: 0,
      stdout: /^2 operations, 0 errors, 0 warnings\. /,
    });
    t.match(await run(["check", file, "--ignore", "format:x"]), {
      code: 1,
      stderr: /names format:x, but the document has extension\./,
    });
  },
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
  t.match(
    await run(["generate", faulty]),
    { code: 0, stdout: /"application\/xml": / },
    "also of a document with problems",
  );
  const output = join(place, "operations.ts");
  t.match(await run(["generate", library, "--output", output]), { code: 0, stdout: "" });
  t.equal(readFileSync(output, "utf8"), stdout);
});

t.test("Reports errors with exit code 1, and shows its help", async (t) => {
  t.match(await run(["check", join(place, "nothing.yaml")]), {
    code: 1,
    stderr: /^openapi-server: The document .* can't be read/,
  });
  t.match(await run(["check", "https://pets.example/openapi.json"]), {
    code: 1,
    stderr:
      "openapi-server: The document must be a file, and not https://pets.example/openapi.json. Download it first.",
  });
  t.match(await run(["mock", library, "--port", "70000"]), { code: 1, stderr: /must be a number from 0 to 65535/ });
  t.match(await run(["mock", library, "--port", "x"]), { code: 1, stderr: /must be a number/ });
  t.match(await run(["serve"]), { code: 1, stderr: /unknown command/ });
  t.match(await run(["--help"]), { code: 0, stdout: /mock .*check .*generate /s });
  t.match(await run(["--version"]), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
});
