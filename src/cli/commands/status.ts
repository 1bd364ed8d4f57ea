// petstore status: how the running service is, once, in a terminal or for a script. What listens there may be anything:
// nothing that it says is shown before it was looked at.
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { isIPv6 } from "node:net";
import { text as readText } from "node:stream/consumers";
import { checkServerIdentity } from "node:tls";
import { stripVTControlCharacters, styleText } from "node:util";
import type { Command } from "commander";
import { type Config, readConfig } from "../../config.ts";
import { formatTime, parseJson, redact } from "../../lib/index.ts";
import { assessHealth, describeService, parseStatus, type Status, toKeyMetrics, toTables } from "../../status/index.ts";
import { CommandFailure, type Io, type Output, print, warn } from "../io.ts";
import { formatTable, toIndentedJson } from "../table.ts";
import { addExamples } from "./help.ts";

const patience = 10_000; // milliseconds
const colours = { ok: "green", warning: "yellow", error: "red" } as const;

/** Adds `petstore status`. */
export function addStatus(program: Command, io: Io): void {
  const asking = program
    .command("status")
    .description("ask the running service how it is: calls, times, keys, what is going away; with OPERATOR_KEY")
    .argument("[url]", "the service, up to what stands before /status (http or https, at HOST and PORT)")
    .option("--json", "as the service gave it")
    .action(async (url: string | undefined, { json }: { json?: boolean }) => {
      const config = readConfig(io.env);
      const { exact, status } = await ask(io, url ? { url } : findService(config), config.OPERATOR_KEY);
      await print(io, json ? redact(toIndentedJson(exact)) : describe(status, io.stdout));
      // For scripts: a service that can't reach its store is a failure, which the output describes.
      if (!status.service.reachable) throw new CommandFailure([]);
    });
  addExamples(
    asking,
    ["OPERATOR_KEY=psk_… petstore status", "the service of the same settings"],
    ["petstore status https://pets.example", "another one; the key is in the environment"],
    ["petstore status --json", "for a script"],
  );
}

/** Where a service is, and the name that its certificate is for, where that is not the URL's. */
interface Place {
  readonly url: string;
  readonly name?: string | undefined;
}

// Where the service of the same settings listens; one that listens everywhere does so on loopback, too. Its
// certificate is for the name by which its clients know it.
function findService({ HOST, PORT, TLS_CERT, BASE_URL }: Config): Place {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[HOST] ?? HOST;
  const url = `${TLS_CERT ? "https" : "http"}://${isIPv6(host) ? `[${host}]` : host}:${PORT}`;
  return { url, name: BASE_URL.startsWith("https:") ? new URL(BASE_URL).hostname : undefined };
}

async function ask(io: Io, { url, name }: Place, key: string): Promise<{ exact: unknown; status: Status }> {
  if (!/^https?:\/\/[^?#@]+$/.test(url) || !URL.canParse(url))
    throw new Error("The service must be an http or https URL, http://127.0.0.1:3000.");
  if (key === "")
    throw new Error("OPERATOR_KEY is not set: make a key with petstore keys create NAME --operator, and put it there.");
  const address = new URL("status.json", url.endsWith("/") ? url : `${url}/`);
  const place = redact(address.href);
  if (address.protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(address.hostname))
    warn(io, `petstore: the key goes to ${address.hostname} unencrypted`);
  const { code, text } = await get(address, key, name).catch(({ code, cause, message }) => {
    const why =
      code === "ERR_TLS_CERT_ALTNAME_INVALID"
        ? `The certificate at ${place} is not for ${name ?? address.hostname}: give the URL that it is for.`
        : `Nothing answers at ${place}: ${[Object(cause).message, code, message].find(Boolean)}.`;
    throw new Error(why);
  });
  const { exact, said } = read(text);
  const status = code === 200 ? parseStatus(said) : undefined;
  if (status) return { exact, status };
  const why = said?.message ?? "it does not say why";
  if (code === 401) throw new Error(`${place} refuses the key of OPERATOR_KEY: ${why}`);
  if (code === 503) throw new Error(`${place} can't say: ${why}`);
  throw new Error(`${place} is no status of a Pet Store (${code}): is it what stands before /status?`);
}

// Not by fetch, which can't look for another name in the certificate. Neither follows to elsewhere: the key is for
// this address.
async function get(address: URL, key: string, name: string | undefined): Promise<{ code: number; text: string }> {
  const request = (address.protocol === "https:" ? https : http).get(address, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(patience),
    checkServerIdentity: (host, certificate) => checkServerIdentity(name ?? host, certificate),
  } as https.RequestOptions);
  const [answer] = await once(request, "response");
  return { code: answer.statusCode, text: await readText(answer) };
}

// An answer, exact, and as it may be said on a terminal; nothing where it is no JSON.
function read(text: string): { exact?: unknown; said?: { message?: string } | null } {
  try {
    const said = JSON.parse(text, (_, value) => (typeof value === "string" ? clean(value) : value));
    return { exact: parseJson(text), said };
  } catch {
    return {};
  }
}

// A terminal would obey what controls it (C0, DEL and C1 of ISO 6429). A key may be anywhere, cut by such, too.
function clean(text: string): string {
  return redact(stripVTControlCharacters(text).replace(/\p{Cc}/gu, ""));
}

function describe(status: Status, stream: Output): string {
  const { state, text } = assessHealth(status);
  const bold = (title: string) => styleText("bold", title, { stream });
  return [
    `Pet Store ${describeService(status, formatTime)}`,
    styleText(colours[state], text, { stream }),
    toKeyMetrics(status)
      .map(([name, value]) => `${name.padEnd(22)}${value}`)
      .join("\n"),
    ...toTables(status).map(({ title, headings, rows, emptyText }) =>
      rows.length === 0
        ? emptyText
        : `${bold(title)}\n${formatTable(
            headings.map((heading) => heading.toUpperCase()),
            rows,
            stream,
          )}`,
    ),
  ].join("\n\n");
}
