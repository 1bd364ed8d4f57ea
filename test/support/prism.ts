// Runs Prism as a validating proxy between the tests and the service. Prism forwards only requests and responses that
// conform to the document. The service must reject each request that Prism rejects.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import type { HttpResponse } from "./responses.ts";

const prism = fileURLToPath(new URL("../../node_modules/.bin/prism", import.meta.url));

/** Sends a request to a port of loopback. */
type Send = (port: number, path: string) => Promise<HttpResponse>;

/**
 * Starts `prism proxy --errors` in front of the service until the test ends. Returns a function that sends a request
 * through Prism. It throws an Error if Prism rejects the response, or a request that the service accepts.
 */
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
  const prismPort = await readPort(child.stdout);

  return async (send: Send, port: number, path: string): Promise<HttpResponse> => {
    if (!path.startsWith("/v1")) return send(port, path);
    const response = await send(prismPort, path.slice("/v1".length));
    if (!/problem\+json/.test(response.headers["content-type"] ?? "")) return response;
    if (/#VIOLATIONS/.test(response.text)) throw new Error(`Prism rejects the response to ${path}: ${response.text}`);
    const direct = await send(port, path);
    if (direct.status >= 400) return direct;
    throw new Error(
      `Prism rejects the request ${path}, but the service accepts it with ${direct.status}: ${response.text}`,
    );
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
