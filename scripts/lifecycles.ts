// Runs the lifecycles of documents against `openapi-server serve`, with a kill -9 in between: create, get, list, change, delete.
// `node scripts/lifecycles.ts api.json other.yaml` prints what is complete, and what went wrong with the rest. A document must be one
// file. `--data postgres://…` uses PostgreSQL, in an empty database, and then for one document.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { describeResults, findLifecycles, RawDocument, runLifecycles } from "../test/support/lifecycles/index.ts";
import { Serving } from "../test/support/serving.ts";

const { values, positionals } = parseArgs({ options: { data: { type: "string" } }, allowPositionals: true });
if (positionals.length === 0) throw new Error("Pass the paths of documents.");
if (values.data !== undefined && positionals.length > 1) throw new Error("Pass one document with --data.");
const { teardown, cleanUp } = createCleanup();
const place = mkdtempSync(join(tmpdir(), "lifecycles-"));
teardown(() => rmSync(place, { recursive: true, force: true }));
try {
  for (const [index, file] of positionals.entries()) {
    const document = RawDocument.read(file);
    const serving = new Serving({ teardown }, file, values.data ?? join(place, `${index}.db`));
    const start = () => serving.start();
    const restart = async () => {
      await serving.kill();
      return start();
    };
    const results = await runLifecycles(document, findLifecycles(document), await start(), { restart });
    console.log(`${file}: ${describeResults(results)}`);
    if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
    await serving.kill();
  }
} finally {
  await cleanUp();
}
