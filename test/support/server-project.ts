// A project that uses the package of the server: a document, a handler, and the files of examples/deploy.
import { execFile } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Test } from "tap";
import { ownFiles } from "./deploy.ts";
import { edit, folder, root } from "./files.ts";
import { npmEnv } from "./npm.ts";

const tickets = readFileSync(join(root, "docs/server/tickets.yaml"), "utf8");

/** Later versions of the document: one whose path is new, and one that requires a field of old records. */
export const versions = {
  withPath: edit(tickets, ["paths:\n", "paths:\n  /rooms: { get: { responses: { 204: { description: None. } } } }\n"]),
  withRequiredField: edit(tickets, ["required: [name]", "required: [name, team]"]),
};

/** Creates a project with a package, which is a file. Returns its folder. */
export async function createProject(t: Pick<Test, "teardown">, file: string): Promise<string> {
  const project = folder(t);
  cpSync(join(root, ownFiles.folder), project, { recursive: true });
  copyFileSync(file, join(project, basename(file)));
  const dependencies = { "@petstore/openapi-server": `file:${basename(file)}`, fastify: "*", pg: "*" };
  const handlers = `import { HttpError } from "@petstore/openapi-server";
    export const deleteAgent = async () => {
      throw new HttpError({ code: "not_deleted", status: 409 }, "No agent can be deleted.");
    };`;
  writeFileSync(join(project, "service.yaml"), tickets);
  writeFileSync(join(project, "handlers.js"), handlers);
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", dependencies }));
  await promisify(execFile)("npm", ["install", "--package-lock-only"], { cwd: project, env: npmEnv });
  return project;
}

/** Returns a function that runs a script in a folder. `programs` has the scripts of programs that this machine lacks. */
export function createShell(t: Pick<Test, "teardown">, cwd: string, programs: Readonly<Record<string, string>>) {
  const bin = folder(t);
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  const options = { cwd, env: { ...npmEnv, PATH: `${bin}:${process.env.PATH}` } };
  return async (script: string) => (await promisify(execFile)("bash", ["-ec", script], options)).stdout.trim();
}
