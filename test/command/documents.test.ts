// The commands of openapi-server for documents, mock, generate and check: the findings of documents, as text and JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { libraryText } from "../support/library.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

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
  const { code, stdout, send, stop } = await startOpenApi(t, ["mock", library, "--log"]);
  t.equal(code, 0);
  t.match(stdout, /at http:\/\/127\.0\.0\.1:\d+, with its documentation/);
  t.match((await send("GET", "/city-library/v2/books")).body, [{ title: "text" }]); // logged as JSON, which is not TAP
  stop();
  await t.rejects(async () => {
    for (;;) await send("GET", "/city-library/v2/books");
  });
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
  const remote = "https://pets.example/openapi.json";
  for (const [args, code, stderr] of [
    [["check", join(place, "nothing.yaml")], 1, /^openapi-server: The document .* can't be read/],
    [["check", remote], 1, `The document must be a file, and not ${remote}. Download it first.`],
    [["mock", library, "--port", "70000"], 2, /--port must be an integer from 0 to 65535/],
    [["mock", library, "--port", "x"], 2, /--port must be an integer/],
    [["unknown"], 2, "openapi-server: unknown command 'unknown'\n"],
    [["check"], 2, "openapi-server: missing required argument 'documents'\n"],
    [[], 2, /^Usage: openapi-server/],
  ] as const)
    t.match(await run(args), { code, stdout: "", stderr }, args.join(" "));
  const help = await run(["--help"]);
  t.match(help, { code: 0, stdout: /serve .*mock .*check .*generate .*Exit codes:.* {2}2 {2}invalid/s, stderr: "" });
  t.match(await run(["--version"]), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
});

t.test("check lists what the server would refuse, and what it would not enforce", async (t) => {
  t.same(await run(["check", library]), {
    code: 0,
    stdout: "5 operations, 0 errors, 0 warnings. The server enforces all of it.\n",
    stderr: "",
  });
  t.match(await run(["check", faulty]), {
    code: 1,
    stdout:
      /^- Error: The schema at .* has the unknown keyword "maxLenght": did you mean maxLength\? \(.*faulty\.yaml:\d+:\d+\) \[misspelled:maxLenght\]\.\n- Warning: The operation postX has a schema for a body of application\/xml, which the handler gets as a stream, without validation .*\n1 operation, 1 error, 1 warning\. The server refuses the document\.\n$/,
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
  t.match(await (await startOpenApi(t, ["mock", file])).send("GET", "/v1/x"), { status: 204 });
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
      stdout: `- Note: The server has no documentation at /docs, because x has the path ${path} (${file}:6:5) [docs].\n1 operation, 0 errors, 0 warnings. The server enforces all of it.\n`,
    });
    const { stdout, send } = await startOpenApi(t, ["mock", file]);
    t.match(stdout, /at http:\/\/127\.0\.0\.1:\d+\.\n/);
    t.match(await send("GET", path), { status: 204 });
  }
});

t.test("check groups parts that are wrong for the same reason, and exits with 1 if warnings are errors", async (t) => {
  const path = (name: string) => `  /${name}:\n    get: { responses: { 200: { description: x } }, x-sunset: x }\n`;
  const file = save("two.yaml", documentOf(path("a") + path("b")));
  const places =
    /has x-sunset, but is not deprecated: .* \(.*two\.yaml:6:5, and 1 more, such as .*two\.yaml:8:5\) \[extension\]\./;
  for (const [options, code, stdout, stderr] of [
    [[], 0, /\n2 operations, 0 errors, 1 warning\. /],
    [[], 0, places],
    [["--strict"], 1, /^- Error: .*\n2 operations, 1 error, 0 warnings\. /],
    [["--strict", "--ignore", "extension"], 0, /^2 operations, 0 errors, 0 warnings\. /],
    [["--ignore", "format:x"], 1, "", /names format:x, but the document has extension\./],
  ] as const)
    t.match(await run(["check", file, ...options]), { code, stdout, stderr: stderr ?? "" }, options.join(" "));
});

t.test("check lists each document, and a total; one that can't be loaded stops no other", async (t) => {
  const invalid = save("invalid.yaml", "a: b: c");
  t.match(await run(["check", library, invalid, faulty]), {
    code: 1,
    stdout: `${library}\n5 operations, 0 errors, 0 warnings. The server enforces all of it.\n\n${faulty}\n- Error: `,
    stderr:
      /^openapi-server: \S*invalid\.yaml: The document \S*invalid\.yaml is invalid: .* \(\S*invalid\.yaml:1:\d+\)\.\n$/,
  });
  t.match(await run(["check", faulty, library]), {
    stdout: /\n\n2 documents: 6 operations, 1 error, 1 warning\. The server refuses 1 of them\.\n$/,
  });
  t.match(await run(["check", library, library]), {
    code: 0,
    stdout: /\n2 documents: 10 operations, 0 errors, 0 warnings\. The server serves all of them\.\n$/,
  });
});

t.test("check expands a pattern, also if no file matches it", async (t) => {
  t.match(await run(["check", join(place, "{library,faulty}.y*ml")]), {
    code: 1,
    stdout: new RegExp(`^${faulty}\n- Error: [^]*\n\n${library}\n5 operations`),
  });
  t.match(await run(["check", join(place, "none*.yaml")]), { code: 1, stderr: /none\*\.yaml can't be read: ENOENT/ });
});

t.test("check accepts a rule of one of several documents, and rejects one of none", async (t) => {
  const path = "  /a:\n    get: { responses: { 200: { description: x } }, x-sunset: x }\n";
  const file = save("sunset.yaml", documentOf(path));
  t.match(await run(["check", library, file, "--strict", "--ignore", "extension"]), { code: 0, stderr: "" });
  t.match(await run(["check", library, file, "--ignore", "format"]), {
    code: 1,
    stdout: "",
    stderr: "openapi-server: The option `ignore` names format, but the documents have extension.\n",
  });
});

t.test("check --format json writes a list of documents, with all places of their findings", async (t) => {
  const properties = Array.from({ length: 5 }, (_, index) => `p${index}: { type: string, format: isbn }`).join();
  const schema = `{ type: object, properties: { ${properties} } }`;
  const file = save(
    "formats.yaml",
    documentOf(
      `  /x:\n    get: { operationId: x, responses: { 200: { description: x, content: { application/json: { schema: ${schema} } } } } }\n`,
    ),
  );
  const json = save("formats.json", JSON.stringify(parse(readFileSync(file, "utf8")), null, 1));
  const { code, stdout, stderr } = await run(["check", file, json, join(place, "none.yaml"), "--format", "json"]);
  const pointerOf = (index: number) =>
    `/paths/~1x/get/responses/200/content/application~1json/schema/properties/p${index}`;
  const finding = (name: string, locate: (index: number) => object) => ({
    document: name,
    error: null,
    operations: 1,
    findings: [
      {
        level: "warning",
        rule: "format:isbn",
        message: `The schema at ${pointerOf(0)} has the unknown format "isbn", which is not enforced`,
        count: 5,
        places: Array.from({ length: 5 }, (_, index) => ({ pointer: pointerOf(index), file: name, ...locate(index) })),
      },
    ],
  });
  t.same([code, stderr], [1, ""]);
  t.same(JSON.parse(stdout), [
    finding(file, (index) => ({ line: 6, column: 133 + index * 35 })),
    finding(json, (index) => ({ line: 19 + index * 4, column: 11 })),
    {
      document: join(place, "none.yaml"),
      error: `The document ${join(place, "none.yaml")} can't be read: ENOENT: no such file or directory.`,
      operations: 0,
      findings: [],
    },
  ]);
  t.match(await run(["check", library, "--format", "json"]), { code: 0, stdout: /^\[\n/ });
});

t.test("An x-resource that is not understood is an error, which names it", async (t) => {
  const get = "get: { operationId: getThing, responses: { 200: { description: x } } }";
  const path = `  /things/{id}:\n    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]\n    ${get}\n`;
  const file = save("hint.yaml", documentOf(`${path}    x-resource: { nam: things }\n`));
  const { code, stdout } = await run(["check", file]);
  t.equal(code, 1);
  t.match(
    stdout,
    /Error: The x-resource of the path \/things\/\{id\} is wrong: it has the unknown member nam: it can have name, id, index, unique, references, owner, private \(.*\[x-resource\]/,
  );
  t.match(await run(["check", save("hint.yaml", documentOf(`${path}    x-resource: { name: things }\n`))]), {
    code: 0,
  });
});
