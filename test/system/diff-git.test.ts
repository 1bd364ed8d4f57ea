// openapi-server diff with documents of a Git revision.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { folder } from "../support/files.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

t.test("Compares a Git revision, also of the files to which the document refers", async (t) => {
  const repository = folder(t);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: repository, stdio: "pipe" });
  const write = (name: string, text: string) => writeFileSync(join(repository, name), text);
  mkdirSync(join(repository, "api/schemas"), { recursive: true });
  const document = `openapi: 3.1.0
info: { title: Books, version: '1' }
paths:
  /books: { get: { responses: { 200: { description: ok, content: { application/json: { schema: { $ref: schemas/book.yaml } } } } } } }
`;
  write("api/api.yaml", document);
  write("api/schemas/book.yaml", "properties: { title: { $ref: title.yaml } }\n");
  write("api/schemas/title.yaml", "type: string\n");
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message=a");
  write("api/schemas/title.yaml", "type: integer\n");
  const own = process.cwd();
  t.teardown(() => process.chdir(own));
  process.chdir(join(repository, "api"));
  t.match(await run(["diff", "git:HEAD:api.yaml", "api.yaml"]), {
    code: 1,
    stdout:
      /^Breaking changes \(1\):\n\n.*`title`: `type` changed from string to integer\. *\n +git:HEAD:api\/schemas\/title\.yaml:1:1 -> schemas\/title\.yaml:1:1\n$/,
    stderr: "",
  });
  t.match(await run(["diff", "git:HEAD:api.yaml", "git:HEAD:api.yaml"]), { code: 0, stdout: "No changes.\n" });
  t.match(await run(["diff", "git:HEAD:none.yaml", "api.yaml"]), {
    code: 1,
    stderr: /git:HEAD:api\/none\.yaml can't be read/,
  });
  t.match(await run(["diff", "git:none:api.yaml", "api.yaml"]), {
    code: 1,
    stderr: /git:none:api\.yaml can't be read/,
  });
  t.match(await run(["diff", "git:--help:api.yaml", "api.yaml"]), { code: 1, stderr: /can't be read/ });
});
