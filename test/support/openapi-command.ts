// Runs the command openapi-server in the process of a test.
import { runCommand } from "../../src/command/index.ts";

/** Runs the command with these arguments. Returns its exit code, and what it has written: `output` also has what follows. */
export async function runOpenApi(args: readonly string[], signal?: AbortSignal, output = { stdout: "", stderr: "" }) {
  const write = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      output[name] += text;
    },
  });
  const code = await runCommand(args, { stdout: write("stdout"), stderr: write("stderr") }, signal);
  return { code, ...output };
}
