// petstore status: prints the status of the running service. Another server may listen at its address, so
// responses are validated and stripped of control characters and keys before they are printed.

import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { isIPv6 } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { checkServerIdentity } from "node:tls";
import { stripVTControlCharacters, styleText } from "node:util";
import { type Config, readConfig } from "../../config.ts";
import { formatTime, parseJson, redact, toJson } from "../../lib/index.ts";
import { assessHealth, describeService, parseStatus, type Status, toKeyMetrics, toTables } from "../../status/index.ts";
import {
  CommandFailure,
  formatTable,
  type Io,
  type Output,
  type OutputOptions,
  print,
  toIndentedJson,
  warn,
  write,
} from "../../terminal/index.ts";

const requestTimeout = 10_000; // milliseconds
const watchInterval = 2_000; // milliseconds
const maxResponseSize = 10_000_000; // bytes; a status has some 100 KB
const colors = { ok: "green", warning: "yellow", error: "red" } as const;

/** The address of a service, and the host name of its certificate if it is not that of the URL. */
interface Endpoint {
  readonly url: string;
  readonly certificateName?: string | undefined;
}

export interface StatusOptions extends OutputOptions {
  /** Prints the status again and again, until SIGINT or SIGTERM. */
  watch?: boolean;
}

/**
 * Prints the status of the service at `url`, by default of the service with the same settings. Rejects without a
 * message if the store of the service is unavailable, so that scripts notice it.
 */
export async function showStatus(io: Io, url: string | undefined, { json, watch }: StatusOptions): Promise<void> {
  const config = readConfig(io.env);
  const request = prepareRequest(io, url ? { url } : findService(config), config.OPERATOR_KEY);
  if (watch) return watchStatus(io, request, json);
  const { raw, status } = await fetchStatus(request);
  await print(io, json ? redact(toIndentedJson(raw)) : formatStatus(status, io.stdout));
  if (!status.service.reachable) throw new CommandFailure([]);
}

// Continues while the service does not respond. On a terminal, each status replaces the previous one.
async function watchStatus(io: Io, request: StatusRequest, json: boolean | undefined): Promise<void> {
  const stopped = new AbortController();
  io.onStop(() => stopped.abort());
  const read = async () => {
    const { raw, status } = await fetchStatus(request, stopped.signal);
    return json ? redact(toIndentedJson(raw)).replaceAll(/\n */g, " ") : formatStatus(status, io.stdout);
  };
  const describe = (error: Error) => (json ? toJson({ error: error.message }) : `petstore: ${error.message}`);
  while (!stopped.signal.aborted) {
    const text = await read().catch(describe);
    if (stopped.signal.aborted) break;
    // From the top left, each line is cleared to its end, and then the rest of the screen: nothing flickers.
    await write(io, io.stdout.isTTY ? `\x1b[H${text.replaceAll("\n", "\x1b[K\n")}\x1b[K\n\x1b[J` : `${text}\n`);
    await sleep(watchInterval, undefined, { signal: stopped.signal }).catch(() => {});
  }
}

// A service that listens on all addresses is reached on loopback, where its certificate is not valid for the address.
function findService({ HOST, PORT, TLS_CERT, BASE_URL }: Config): Endpoint {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[HOST] ?? HOST;
  const url = `${TLS_CERT ? "https" : "http"}://${isIPv6(host) ? `[${host}]` : host}:${PORT}`;
  return { url, certificateName: BASE_URL.startsWith("https:") ? new URL(BASE_URL).hostname : undefined };
}

/** A request for a status, with an operator key. */
interface StatusRequest {
  readonly address: URL;
  readonly key: string;
  readonly certificateName: string | undefined;
}

function prepareRequest(io: Io, { url, certificateName }: Endpoint, key: string): StatusRequest {
  if (!/^https?:\/\/[^?#@]+$/.test(url) || !URL.canParse(url))
    throw new Error("The URL of the service must be an http or https URL, such as http://127.0.0.1:3000.");
  if (key === "")
    throw new Error("OPERATOR_KEY is not set. Set it to a key that petstore keys create NAME --operator prints.");
  const address = new URL("status.json", url.endsWith("/") ? url : `${url}/`);
  if (address.protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(address.hostname))
    warn(io, `petstore: Warning: the key is sent to ${address.hostname} without encryption.`);
  return { address, key, certificateName };
}

async function fetchStatus(
  { address, key, certificateName }: StatusRequest,
  signal?: AbortSignal,
): Promise<{ raw: unknown; status: Status }> {
  const redactedUrl = redact(address.href);
  const { code, text } = await get({ address, key, certificateName }, signal).catch(({ code, cause, message }) => {
    throw new Error(
      code === "ERR_TLS_CERT_ALTNAME_INVALID"
        ? `The certificate of ${redactedUrl} is not valid for ${certificateName ?? address.hostname}. Use a host name of the certificate.`
        : `No response from ${redactedUrl}: ${[Object(cause).message, code, message].find(Boolean)}.`,
    );
  });
  if (text === undefined)
    throw new Error(
      `The response of ${redactedUrl} is larger than ${maxResponseSize / 1e6} MB, so it is not the status of a Pet Store.`,
    );
  const { raw, body } = parseBody(text);
  const status = code === 200 ? parseStatus(body) : undefined;
  if (status) return { raw, status };
  const reason = body?.message ?? "no reason given";
  if (code === 401 || code === 403 || code === 429)
    throw new Error(`${redactedUrl} rejected the key in OPERATOR_KEY: ${reason}`);
  if (code === 503) throw new Error(`${redactedUrl} is not available: ${reason}`);
  throw new Error(
    `The response of ${redactedUrl} (${code}) is not the status of a Pet Store. Check the URL of the service.`,
  );
}

// fetch can't validate a certificate for another host name. Does not follow redirects, which would leak the key.
async function get(
  { address, key, certificateName }: StatusRequest,
  signal?: AbortSignal,
): Promise<{ code: number; text: string | undefined }> {
  const timeout = AbortSignal.timeout(requestTimeout);
  const request = (address.protocol === "https:" ? https : http).get(address, {
    headers: { authorization: `Bearer ${key}` },
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    checkServerIdentity: (host, certificate) => checkServerIdentity(certificateName ?? host, certificate),
  } as https.RequestOptions);
  const [response] = await once(request, "response");
  return { code: response.statusCode, text: await readText(response) };
}

// Returns undefined if the body is too large. The end of the loop destroys the response.
async function readText(response: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxResponseSize) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

// Returns the body with exact numbers (`raw`), and with sanitized strings. Returns no properties if it is not JSON.
function parseBody(text: string): { raw?: unknown; body?: { message?: string } | null } {
  try {
    const body = JSON.parse(text, (_, value) => (typeof value === "string" ? sanitize(value) : value));
    return { raw: parseJson(text), body };
  } catch {
    return {};
  }
}

// Removes control characters (C0, DEL and C1 of ISO 6429) before it redacts keys, because a key that contains control
// characters must be redacted, too.
function sanitize(text: string): string {
  return redact(stripVTControlCharacters(text).replace(/\p{Cc}/gu, ""));
}

function formatStatus(status: Status, stream: Output): string {
  const { state, text } = assessHealth(status);
  const bold = (title: string) => styleText("bold", title, { stream });
  return [
    `Pet Store ${describeService(status, formatTime)}`,
    styleText(colors[state], text, { stream }),
    toKeyMetrics(status)
      .map(([name, value]) => `${name.padEnd(24)}${value}`)
      .join("\n"),
    ...toTables(status, formatSeconds).map(({ title, headings, rows, emptyText }) =>
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

// In UTC, with seconds, which tell the requests of a minute apart.
function formatSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace("T", " ")}Z`;
}
