// Runs the command openapi-server in the process of a test.
import { Readable, Writable } from "node:stream";
import type { Test } from "tap";
import { runCommand } from "../../src/command/index.ts";

/** Runs the command with these arguments. Returns its exit code, and what it has written: `output` also has what follows. */
export async function runOpenApi(args: readonly string[], signal?: AbortSignal, output = { stdout: "", stderr: "" }) {
  const stream = (name: "stdout" | "stderr") =>
    new Writable({
      write: (chunk, _, done) => {
        output[name] += chunk;
        done();
      },
    });
  const io = {
    env: {},
    stdin: Readable.from([]),
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    onStop: () => {},
  };
  const code = await runCommand(args, { io, signal });
  return { code, ...output };
}

/** Starts a server on a free port: `serve`, `mock` or `proxy`. Stops it at the end of the test. */
export async function startOpenApi(
  t: Pick<Test, "teardown">,
  args: readonly string[],
  output = { stdout: "", stderr: "" },
) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  t.teardown(stop);
  const result = await runOpenApi([...args, "--port", "0"], controller.signal, output);
  const [, url = ""] = /at (http:\/\/[\d.]+:\d+)/.exec(result.stdout) ?? [];
  /** Sends a text, or an object as JSON. Returns the response with its text and, of JSON, its value. */
  const send = async (
    method: string,
    path: string,
    content?: object | string,
    headers: Record<string, string> = {},
  ) => {
    const body = typeof content === "object" ? JSON.stringify(content) : content;
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = /json/.test(`${response.headers.get("content-type")}`) && text !== "";
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  return { ...result, output, url, stop, send };
}
