// An upstream, and a proxy that compares it with a document.
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, connect, type Server } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { Test } from "tap";
import { writeFiles } from "./files.ts";
import { startOpenApi } from "./openapi-command.ts";
import { until } from "./wait.ts";

export interface ProxiedOptions {
  readonly flags?: readonly string[];
  /** The path of the upstream's URL. */
  readonly path?: string;
  readonly scheme?: "http" | "https";
}

/** Listens with an upstream, and starts a proxy of it. Both end with the test. */
export async function startProxy(
  t: Test,
  document: string,
  upstream: Server | HttpServer,
  { flags = [], path = "", scheme = "http" }: ProxiedOptions = {},
) {
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => upstream.close());
  const file = writeFiles(t, { "document.yaml": document });
  const host = scheme === "https" ? "localhost" : "127.0.0.1"; // that of the certificate
  const address = `${scheme}://${host}:${(upstream.address() as AddressInfo).port}${path}`;
  const { code, url, output, ...proxy } = await startOpenApi(t, ["proxy", file, "--upstream", address, ...flags]);
  t.equal(code, 0, output.stderr);
  const port = Number(new URL(url).port);
  const stop = async () => {
    proxy.stop();
    const find = () => /^\d+ requests, .*$/m.exec(output.stdout)?.[0];
    const line = await until(find, () => output.stdout);
    const { exitCode } = process;
    process.exitCode = 0;
    return { line, exitCode };
  };
  t.teardown(stop);
  return {
    url,
    port,
    output,
    /** Stops the proxy. Returns its last line and its exit code. */
    stop,
    /** Sends the bytes of a request, and returns those of the response. */
    exchange(bytes: string): Promise<string> {
      const socket = connect(port, "127.0.0.1").setEncoding("latin1");
      socket.write(bytes, "latin1");
      return readText(socket);
    },
  };
}
