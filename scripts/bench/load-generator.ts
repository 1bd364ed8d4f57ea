// The load generator, a separate process. It runs autocannon for each message, and sends the result back.
import { createHistogram } from "node:perf_hooks";
import autocannon from "autocannon";
import type { LoadOptions, LoadRequest, LoadResult } from "./workloads.ts";

async function generateLoad({ url, requests, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const latencies = createHistogram(); // in microseconds: autocannon's own histogram has milliseconds
  const statuses: Record<string, number> = {};
  // Not the option `requests`: autocannon would copy all requests for each connection, and all connections would send
  // the same request at the same time.
  let connection = 0;
  const setupClient = (client: autocannon.Client) =>
    client.setRequests(requestsOf(connection++, connections, requests) as autocannon.Request[]);
  const run = autocannon({ url, setupClient, connections, duration: seconds, sampleInt: 20 });
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  let lastResponse = start;
  run.on("response", (_client, status, _bytes, milliseconds) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.record(Math.max(1, Math.round(milliseconds * 1_000)));
    lastResponse = performance.now();
  });
  const { errors } = await run;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    statuses,
    errors,
    seconds: (lastResponse - start) / 1_000,
    p50: latencies.percentile(50) / 1_000,
    p99: latencies.percentile(99) / 1_000,
    utilization: (user + system) / 1_000 / (performance.now() - start),
  };
}

// Returns an equal part of the requests for each connection, or all requests if there are too few.
function requestsOf(connection: number, connections: number, requests: readonly LoadRequest[]): LoadRequest[] {
  const size = requests.length / connections;
  if (size < 1) return [...requests];
  return requests.slice(Math.floor(connection * size), Math.floor((connection + 1) * size));
}

process.on("message", (options: LoadOptions) => generateLoad(options).then((result) => process.send?.(result)));
