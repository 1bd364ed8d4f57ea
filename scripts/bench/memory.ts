// Whether the service keeps what it no longer needs: its heap after a collection, minute by minute of load.
import { once } from "node:events";
import { freePort } from "../../test/support/port.ts";
import { measure, memory, prepare, start, startDriver } from "./run.ts";

/** The megabytes after so many minutes: of the heap, collected, and of the process. */
export interface Minute {
  readonly minute: number;
  readonly requests: number;
  readonly heap: number;
  readonly resident: number;
}

/** Drives the service with reads and creates, and looks at its heap after each minute. The first is for warming up. */
export async function watchMemory(minutes: number, folder: string, tell: (text: string) => void): Promise<Minute[]> {
  const { key, works, url, end } = await prepare(folder, ["sqlite"]);
  const port = await freePort();
  const running = await start("sqlite", url("sqlite"), key, [`--inspect=127.0.0.1:${port}`]);
  const driver = startDriver();
  try {
    const inspector = await connect(port);
    const all: Minute[] = [];
    let requests = 0;
    for (let minute = 0; minute <= minutes; minute++) {
      tell(`minute ${minute} of ${minutes}`);
      requests += (await measure(running, works.mix, driver, 60)).rate * 60;
      await inspector.ask("HeapProfiler.collectGarbage");
      const { usedSize } = await inspector.ask<{ usedSize: number }>("Runtime.getHeapUsage");
      all.push({ minute, requests, heap: usedSize / 1e6, resident: memory(running.child, "VmRSS") });
    }
    inspector.close();
    return all;
  } finally {
    driver.disconnect();
    running.child.kill("SIGKILL");
    await end();
  }
}

// https://chromedevtools.github.io/devtools-protocol/
async function connect(port: number) {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { webSocketDebuggerUrl: string },
  ];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, "open");
  let id = 0;
  return {
    async ask<T>(method: string): Promise<T> {
      id += 1;
      socket.send(JSON.stringify({ id, method }));
      for (;;) {
        const [{ data }] = (await once(socket, "message")) as [{ data: string }];
        const answer = JSON.parse(data);
        if (answer.id === id) return answer.result;
      }
    },
    close: () => socket.close(),
  };
}
