// openapi-server diff: its formats and exit codes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { folder } from "../support/files.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const place = folder(t);
const save = (name: string, text: string) => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};

const head = "openapi: 3.1.0\ninfo: { title: Books, version: '1' }\n";
const old = save(
  "old.yaml",
  `${head}paths:
  /books:
    get:
      operationId: listBooks
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 100 } }
      responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } } }
    post:
      summary: Add a book
      responses: { 201: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } } }
components:
  schemas:
    Book: { type: object, properties: { title: { type: string }, next: { $ref: "#/components/schemas/Book" } } }
`,
);
const edit = (name: string, ...edits: [string, string][]) =>
  save(
    name,
    edits.reduce((text, [from, to]) => text.replace(from, to), read(old)),
  );
const read = (path: string) => readFileSync(path, "utf8");
const narrow = edit(
  "narrow.yaml",
  ["maximum: 100", "maximum: 50"],
  ["Add a book", "Adds a book"],
  ["title: {", "name: {"],
);
const wide = edit("wide.yaml", ["maximum: 100", "maximum: 500"]);

t.test("Says each change once, with its operations and its place in both files", async (t) => {
  const { code, stdout } = await run(["diff", old, narrow]);
  t.equal(code, 1);
  t.equal(
    stdout.replaceAll(`${place}/`, ""),
    `Breaking changes (2):

- listBooks (GET /books), query parameter \`limit\`: \`maximum\` changed from 100 to 50.
    old.yaml:8:62 -> narrow.yaml:8:62
- schema \`Book\`, field \`title\`: Removed. Operations: listBooks (GET /books), POST /books.
    old.yaml:15:41 -> narrow.yaml:15:5

Compatible changes (1):

- schema \`Book\`, field \`name\`: Added. Operations: listBooks (GET /books), POST /books.
    old.yaml:15:5 -> narrow.yaml:15:41

Changes of the documentation (1):

- POST /books: \`summary\` changed.
    old.yaml:11:7 -> narrow.yaml:11:7
`,
  );
});

t.test("--fail-on decides for which changes the exit code is 1", async (t) => {
  t.match(await run(["diff", old, old, "--fail-on", "any"]), { code: 0, stdout: /^No changes\.\n$/ });
  t.match(await run(["diff", old, wide]), { code: 0, stdout: /^Compatible changes \(1\)/ });
  t.match(await run(["diff", old, wide, "--fail-on", "any"]), { code: 1 });
  t.match(await run(["diff", old, narrow, "--fail-on", "none"]), { code: 0, stdout: /^Breaking changes \(2\)/ });
});

t.test("--format json has the same members for each change", async (t) => {
  const { stdout } = await run(["diff", old, narrow, "--format", "json"]);
  const changes = JSON.parse(stdout);
  t.match(changes[0], {
    rating: "breaking",
    rule: "maximum",
    location: "query parameter `limit`",
    text: "`maximum` changed from 100 to 50.",
    operations: [{ operationId: "listBooks", method: "GET", path: "/books" }],
    old: { pointer: "/paths/~1books/get/parameters/0/schema/maximum", file: old, line: 8, column: 62 },
    new: { file: narrow, line: 8 },
  });
  t.match(changes[1].operations[1], { operationId: null, method: "POST", path: "/books" });
  const members = ["location", "new", "old", "operations", "rating", "rule", "text"];
  for (const change of changes) t.same(Object.keys(change).sort(), members);
  t.same(JSON.parse((await run(["diff", old, old, "--format", "json"])).stdout), []);
});

t.test("--format markdown is a comment on a pull request", async (t) => {
  const { stdout } = await run(["diff", old, narrow, "--format", "markdown"]);
  t.match(
    stdout,
    /^### Breaking changes \(2\)\n\n- `listBooks \(GET \/books\)`, query parameter `limit`: .* <sub>.*narrow\.yaml:8:62<\/sub>\n/,
  );
});

t.test("Names what is wrong with the command line and with a document", async (t) => {
  t.match(await run(["diff", old]), { code: 2 });
  t.match(await run(["diff", old, narrow, "--fail-on", "never"]), { code: 2, stderr: /breaking, any, none/ });
  t.match(await run(["diff", "git:main", old]), { code: 2, stderr: /must have the form git:REF:PATH/ });
  t.match(await run(["diff", join(place, "none.yaml"), old]), { code: 1, stderr: /none\.yaml can't be read: ENOENT/ });
  t.match(await run(["diff", old, save("empty.yaml", "")]), { code: 1, stderr: /empty\.yaml is invalid: it is empty/ });
  const broken = edit("broken.yaml", ['schemas/Book" } } } } }\n    post', 'schemas/None" } } } } }\n    post']);
  t.match(await run(["diff", old, broken]), {
    stderr: /#\/components\/schemas\/None, which leads to nothing.*What it leads to is not compared/,
  });
});
