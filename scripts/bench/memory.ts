// Detects memory leaks: `npm run bench -- memory --minutes 10`. Measures the heap after garbage collection, after each
// minute of load. Exits with 1 if the heap has grown by more than 5 % since the first minute, which is the warm-up.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCleanup } from "../../test/support/cleanup.ts";
import { freePort } from "../../test/support/port.ts";
import { installPackages, measureWorkload, prepareDatabases, readMemory, startClient, startServer } from "./servers.ts";
import { workloads } from "./workloads.ts";

const maxGrowth = 1.05;

/** Runs the benchmark, and prints a line for each minute. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { minutes: { type: "string", default: "10" } } });
  installPackages();
  const { teardown, cleanUp } = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  teardown(() => rmSync(folder, { recursive: true }));
  try {
    const { key, factory, databasesOf, end } = await prepareDatabases(folder, ["sqlite"]);
    teardown(end);
    const port = await freePort();
    const server = await startServer("sqlite", databasesOf("sqlite"), key, { flags: [`--inspect=127.0.0.1:${port}`] });
    teardown(() => server.child.kill("SIGKILL"));
    const loadGenerator = startClient("scripts/bench/load-generator.ts");
    teardown(() => loadGenerator.disconnect());
    const inspector = await connectInspector(port);
    teardown(() => inspector.close());

    const mix = workloads.mix.createRequests(factory);
    const heaps: number[] = [];
    let requests = 0;
    for (let minute = 0; minute <= Number(values.minutes); minute++) {
      requests += (await measureWorkload(server, workloads.mix, mix, loadGenerator, 60)).rate * 60;
      await inspector.call("HeapProfiler.collectGarbage");
      const { usedSize } = await inspector.call<{ usedSize: number }>("Runtime.getHeapUsage");
      const heap = usedSize / 1e6;
      heaps.push(heap);
      console.log(
        `minute ${minute}: ${Math.round(requests).toLocaleString("en-US")} requests, heap ${heap.toFixed(1)} MB, resident ${readMemory(server, "VmRSS").toFixed(0)} MB`,
      );
    }
    const growth = (heaps.at(-1) as number) / (heaps[0] as number);
    console.log(`heap: ${growth.toFixed(3)} times the first`);
    process.exitCode = growth <= maxGrowth ? 0 : 1;
  } finally {
    await cleanUp();
  }
}

// Connects to the inspector of Node: https://chromedevtools.github.io/devtools-protocol/
async function connectInspector(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, "open");
  let lastId = 0;
  return {
    async call<T>(method: string): Promise<T> {
      const id = ++lastId;
      socket.send(JSON.stringify({ id, method }));
      for (;;) {
        const [{ data }] = (await once(socket, "message")) as [{ data: string }];
        const message = JSON.parse(data);
        if (message.id === id) return message.result;
      }
    },
    close: () => socket.close(),
  };
}
