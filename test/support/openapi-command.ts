// Runs the command openapi-server in the process of a test.
import { Readable, Writable } from "node:stream";
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
