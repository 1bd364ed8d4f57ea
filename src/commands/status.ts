// petstore status: how the running service is, once, in a terminal or for a script.
import { isIPv6 } from "node:net";
import { stdout } from "node:process";
import { stripVTControlCharacters, styleText } from "node:util";
import type { Command } from "commander";
import { type Config, readConfig } from "../config.ts";
import { mask } from "../logger.ts";
import { describeService, judge, type Status, toFigures, toTables } from "../status/words.js";
import { toTable, toTime } from "../table.ts";

const patience = 10_000; // milliseconds
const colours = { well: "green", soon: "yellow", bad: "red" } as const;

/** Adds `petstore status`. */
export function addStatus(program: Command): void {
  program
    .command("status")
    .description("ask the running service how it is: calls, times, keys, what is going away; with OPERATOR_KEY")
    .argument("[url]", "the service, up to what stands before /status (http or https, at HOST and PORT)")
    .option("--json", "as the service gave it")
    .action(async (url: string | undefined, { json }: { json?: boolean }) => {
      const config = readConfig();
      const { text, status } = await ask(url ?? toUrl(config), config.OPERATOR_KEY);
      // For scripts: what can't serve is no success, though it was told.
      if (!status.service.reachable) process.exitCode = 1;
      console.log(json ? text : describe(status));
    });
}

// Where the service of the same settings listens; one that listens everywhere does so on loopback, too.
function toUrl({ HOST, PORT, TLS_CERT }: Config): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[HOST] ?? HOST;
  return `${TLS_CERT ? "https" : "http"}://${isIPv6(host) ? `[${host}]` : host}:${PORT}`;
}

async function ask(url: string, key: string): Promise<{ text: string; status: Status }> {
  if (!/^https?:\/\/[^?#@]+$/.test(url) || !URL.canParse(url))
    throw new Error("The service must be an http or https URL, http://127.0.0.1:3000.");
  if (key === "")
    throw new Error("OPERATOR_KEY is not set: make a key with petstore keys create NAME --operator, and put it there.");
  const address = new URL("status.json", url.endsWith("/") ? url : `${url}/`);
  const headers = { authorization: `Bearer ${key}` };
  // Not on to where it is sent: the key is for this address.
  const request = fetch(address, { headers, redirect: "manual", signal: AbortSignal.timeout(patience) });
  const { ok, status, text } = await request
    .then(async (answer) => ({ ok: answer.ok, status: answer.status, text: await answer.text() }))
    .catch(({ message, cause }) => {
      throw new Error(`Nothing answers at ${address}: ${cause?.code ?? message}.`);
    });
  const body = read(text);
  if (ok && body?.service) return { text, status: body as Status };
  // What else listens there may say anything, and a terminal would obey it.
  const why = mask(stripVTControlCharacters(`${body?.message}`));
  if (status === 401) throw new Error(`${address} refuses the key of OPERATOR_KEY: ${why}`);
  if (status === 503) throw new Error(`${address} can't say: ${why}`);
  throw new Error(`${address} is no status of a Pet Store (${status}): is it what stands before /status?`);
}

function read(text: string): (Partial<Status> & { message?: string }) | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(status: Status): string {
  const { state, text } = judge(status);
  const bold = (title: string) => styleText("bold", title, { stream: stdout });
  return [
    `Pet Store ${describeService(status, toTime)}`,
    styleText(colours[state], text, { stream: stdout }),
    toFigures(status)
      .map(([name, value]) => `${name.padEnd(22)}${value}`)
      .join("\n"),
    ...toTables(status).map(({ title, heads, rows, none }) =>
      rows.length === 0
        ? none
        : `${bold(title)}\n${toTable(
            heads.map((head) => head.toUpperCase()),
            rows,
          )}`,
    ),
  ].join("\n\n");
}
