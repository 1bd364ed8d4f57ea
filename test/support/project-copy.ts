// A copy of the project, in which a test follows docs/changing-the-contract.md.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { edit, folder, root } from "./files.ts";
import { freePort } from "./port.ts";
import { until } from "./wait.ts";

const omitted = new Set(["node_modules", ".git", ".tap", "data"]);

/** The page with the steps. */
export const guide: string = readFileSync(join(root, "docs/changing-the-contract.md"), "utf8");

const blocks = [...guide.matchAll(/^ *```yaml\n(.*?)^ *```$/gms)].map(([, text = ""]) => text.replace(/^ {3}/gm, ""));

/** Returns the YAML of the page that contains a text. */
export function blockWith(text: string): string {
  return blocks.find((block) => block.includes(text)) as string;
}

/** A copy of the project, with the same `node_modules`. */
export class ProjectCopy {
  readonly place: string;

  constructor(t: Test) {
    this.place = folder(t);
    for (const name of readdirSync(root).filter((name) => !omitted.has(name)))
      cpSync(join(root, name), join(this.place, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.place, "node_modules"));
  }

  /** Replaces parts of the Pet Store's document, each of which it must have once. */
  editDocument(...replacements: [string, string][]): void {
    const file = join(this.place, "openapi/petstore.yaml");
    writeFileSync(file, edit(readFileSync(file, "utf8"), ...replacements));
  }

  /** Runs a program. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const options = { cwd: this.place, encoding: "utf8", env: { ...process.env, ...env }, timeout: 120_000 } as const;
    const { status, stdout, stderr } = spawnSync(args[0] as string, args.slice(1), options);
    return { status, stdout, stderr };
  }

  /** Runs the command `petstore` with a database. */
  petstore(DATABASE_URL: string, ...args: string[]) {
    return this.run([process.execPath, "src/bin.js", ...args], { DATABASE_URL });
  }

  /** Imports pets, as lines of JSON. */
  importPets(url: string, text: string) {
    const input = join(this.place, "input.ndjson");
    writeFileSync(input, text);
    return this.petstore(url, "import", input, "--resource", "pets");
  }

  /** Starts the service, until the end of the test. Returns a function that sends a request. */
  async serve(t: Test, url: string) {
    const port = `${await freePort()}`;
    const env = { ...process.env, DATABASE_URL: url, PORT: port, LOG_LEVEL: "warn" };
    const child = spawn(process.execPath, ["src/bin.js", "serve"], {
      cwd: this.place,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    t.teardown(() => child.kill());
    const origin = `http://127.0.0.1:${port}`;
    const isReady = async () => (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok || undefined;
    await until(isReady, () => "the service does not start");
    const key = this.petstore(url, "keys", "create", `test-${port}`).stdout.trim();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return async (path: string, body?: string, method = body ? "POST" : "GET", own: Record<string, string> = {}) => {
      const response = await fetch(`${origin}/v1${path}`, {
        method,
        headers: { ...headers, ...own },
        body: body ?? null,
      });
      return { status: response.status, text: await response.text(), etag: `${response.headers.get("etag")}` };
    };
  }
}
