// Prism between the tests and the service: a validator that we did not write. What it forwards was a
// good request and a good answer, by the document. What it refuses the service must refuse as well.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import type { Answer } from "./answers.ts";

const prism = fileURLToPath(new URL("../../node_modules/.bin/prism", import.meta.url));

/** Sends a request to a port of loopback. */
type Send = (port: number, path: string) => Promise<Answer>;

/** Starts `prism proxy --errors` before the service until the test ends, and gives the way through it. */
export async function startPrism(t: Test, upstream: string, document: string) {
  const folder = mkdtempSync(join(tmpdir(), "prism-"));
  const file = join(folder, "petstore.yaml");
  writeFileSync(file, document);
  const child = spawn(prism, ["proxy", file, upstream, "--errors", "--host", "127.0.0.1", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true });
  });
  const own = await readPort(child.stdout);

  return async (send: Send, port: number, path: string): Promise<Answer> => {
    if (!path.startsWith("/v1")) return send(port, path);
    const answer = await send(own, path.slice("/v1".length));
    if (!/problem\+json/.test(answer.headers["content-type"] ?? "")) return answer;
    if (/#VIOLATIONS/.test(answer.text)) throw new Error(`Prism refuses the answer to ${path}: ${answer.text}`);
    const direct = await send(port, path);
    if (direct.status >= 400) return direct;
    throw new Error(`Prism refuses the request ${path}, and the service answers ${direct.status}: ${answer.text}`);
  };
}

async function readPort(output: Readable): Promise<number> {
  let text = "";
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const [, port] = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
    if (port === undefined) continue;
    output.resume();
    return Number(port);
  }
  throw new Error(`Prism did not start: ${text}`);
}
