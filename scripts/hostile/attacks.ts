// The attacks. Each runs in a process of its own until that process ends.
import { randomBytes } from "node:crypto";
import { Duplex } from "node:stream";
import { connect as connectOverTls } from "node:tls";
import { bundleRequest, attacks as slowAttacks } from "../../test/support/slow-clients.ts";
import { createLargeRequests, get, inLoop, newPet, post } from "./requests.ts";
import {
  addressOf,
  attackerAddress,
  counts,
  hold,
  neverRead,
  onResponse,
  open,
  sendInLoop,
  sendOnce,
  type Target,
} from "./sockets.ts";

/** An attack, and the service that it needs. */
export interface Attack {
  readonly description: string;
  /** Starts the attack in an attacker's process. `index` is the number of the process. */
  readonly start: (target: Target, index: number) => unknown;
  /** The number of the attacker's processes. The default is 1. */
  readonly processes?: number;
  readonly isTls?: true;
  readonly usesPostgres?: true;
  /** Whether the service is that of library-server.ts, instead of the Pet Store. */
  readonly isLibrary?: true;
  /** Whether a second process on the same database creates pets and revokes keys meanwhile. */
  readonly hasSecondProcess?: true;
  /** Further settings of the service. */
  readonly settings?: Readonly<Record<string, string>>;
}

const clientAddress = "127.0.0.1"; // the legitimate client's
const unlimited = 100_000; // connections per second: more than any attacker reaches
const expensivePage = "/v1/pets?status=sold&limit=100"; // 600 KB, see service.ts
const bundlePath = "/docs/static/swagger-ui-bundle.js";

const createKey = () => `psk_${randomBytes(32).toString("base64url")}`;

function flood(request: string, address = attackerAddress) {
  return (target: Target) => hold(256, unlimited, () => sendOnce(open(target, address), request));
}

function slowly(name: string, key?: string) {
  return ({ origin, keys }: Target) => {
    counts.opened = 2_000;
    return slowAttacks[name]?.(origin, key ?? (keys[0] as string), 2_000);
  };
}

/** Returns the bytes of a complete ClientHello (RFC 8446, section 4.1.2), which an attacker can send without any work. */
function recordClientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read() {}, write: (chunk: Buffer) => resolve(chunk) });
    connectOverTls({ socket, rejectUnauthorized: false });
  });
}

function createMixedRequests({ keys: [key] }: Target): () => string | Buffer {
  const create = post(`Content-Length: ${newPet.length}`, newPet, key);
  let n = 0;
  return () => (n++ % 2 === 0 ? create : get("/v1/pets?limit=100", key));
}

// Values for which parsers that backtrack take quadratic time. test/linear-time.test.ts has many more.
function createBlankHeaders({ keys: [key] }: Target): () => Buffer {
  const blanks = [" ", "\t", ",", ";", " ;", ", "].map((part) => part.repeat(15_000 / part.length));
  const headers = blanks.flatMap((blank) => [
    `Content-Type: application/json; a=b${blank}c`,
    `Content-Type: application/json; a="${blank}"c`,
    `Content-Type: application/json; a${blank}=b`,
    `Content-Type: application/json\r\nContent-Encoding: ,${blank}c`,
    `Content-Type: application/json\r\nIdempotency-Key: "${blank}`,
    `Content-Type: application/json\r\nX-Forwarded-For: ::1${blank}`,
  ]);
  const requests = headers.map((header) => post(`${header}\r\nContent-Length: ${newPet.length}`, newPet, key, ""));
  let n = 0;
  return () => requests[n++ % requests.length] as Buffer;
}

/** The attacks by name. */
export const attacks: Record<string, Attack> = {
  "held-connections": {
    description: "an address holds up to 10,010 connections, each with a request for /healthz every 3 s",
    start: (target) =>
      hold(10_010, 4_000, () => {
        const socket = onResponse(open(target));
        const ask = () => socket.write(get("/healthz"));
        ask();
        const timer = setInterval(ask, 3_000);
        return socket.once("close", () => clearInterval(timer));
      }),
  },
  "unread-files": {
    description: "283 addresses request Swagger UI's bundle over TLS, pipelined, and never read",
    isTls: true,
    start: (target) => hold(283, 200, (n) => neverRead(open(target, addressOf(n)), bundleRequest.repeat(16))),
  },
  "unread-pages": {
    description: "a key requests pages of 600 KB on 40 connections, 300 pipelined, and never reads",
    start: (target) => hold(40, 200, () => neverRead(open(target), get(expensivePage, target.keys[0]).repeat(300))),
  },
  "unread-pipeline": {
    description: "200 connections without a key request the bundle, 300 pipelined again and again, and never read",
    start: (target) => hold(200, 200, () => neverRead(open(target), bundleRequest.repeat(300))),
  },
  "request-bursts": {
    description: "200 connections without a key send 64 KB of small requests each, 2,300 of them, at the same time",
    start: (target) =>
      hold(200, 2_000, () => {
        const socket = open(target);
        const requests = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_300);
        setTimeout(() => socket.write(requests), 1_000 - (Date.now() % 1_000)); // at each full second
        return socket.resume();
      }),
  },
  "many-connections": {
    description: "a key requests lists on 1,500 connections in a closed loop, a fifth of them 8 deep",
    hasSecondProcess: true,
    settings: { RATE_LIMIT_FAILED: "100000/1s" }, // each revoked key is rejected with 401
    start: (target) =>
      hold(1_500, 2_000, (n) =>
        sendInLoop(open(target), () => get("/v1/pets?limit=20", target.keys[0]), n % 5 === 0 ? 8 : 1),
      ),
  },
  "no-key-128": {
    description: "128 connections without a key request a list in a closed loop",
    start: inLoop(128, () => () => get("/v1/pets")),
  },
  "no-key-1000": {
    description: "the same on 1,000 connections",
    start: inLoop(1_000, () => () => get("/v1/pets")),
  },
  readyz: {
    description: "1,200 connections request /readyz in a closed loop",
    start: inLoop(1_200, () => () => get("/readyz")),
  },
  "readyz-postgres": {
    description: "the same with PostgreSQL",
    usesPostgres: true,
    start: inLoop(1_200, () => () => get("/readyz")),
  },
  "invalid-keys": {
    description: "500 invalid keys per second from the client's address, each on a new connection",
    start: (target) => hold(500, 500, () => sendOnce(open(target, clientAddress), get("/v1/pets", createKey()))),
  },
  "slow-headers": {
    description: "2,000 connections from the client's address send headers slowly",
    start: slowly("slow headers"),
  },
  "slow-bodies": {
    description: "2,000 connections from the client's address send bodies slowly, with a key",
    start: slowly("slow bodies"),
  },
  "slow-bodies-no-key": {
    description: "the same without a valid key",
    start: slowly("slow bodies", "none"),
  },
  "slow-reading": {
    description: "2,000 connections from the client's address request the bundle, and never read",
    start: slowly("slow reading"),
  },
  "request-flood": {
    description: "new connections as fast as possible, each for one request without a key",
    start: flood(get("/v1/pets")),
  },
  "connection-flood": {
    description: "new connections as fast as possible, which send nothing",
    start: (target) => hold(2_000, unlimited, () => open(target).resume()),
  },
  "key-flood": {
    description: "a key sends creates and pages of 100 pets on 256 connections in a closed loop",
    start: inLoop(256, createMixedRequests),
  },
  "large-bodies": {
    description: "64 connections send bodies of 3 MB, with a key and without, by length and in chunks",
    start: (target) => {
      const body = Buffer.alloc(3_000_000, " ");
      const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")]);
      const requests = [target.keys[0], undefined].flatMap((key) => [
        post(`Content-Length: ${body.length}`, body, key),
        post("Transfer-Encoding: chunked", chunk, key),
      ]);
      hold(64, 1_000, (n) => onResponse(open(target)).end(requests[n % requests.length] as Buffer));
    },
  },
  "client-hellos": {
    description: "200 connections at a time send a recorded ClientHello, and close when the service has responded",
    isTls: true,
    start: async (target) => {
      const hello = await recordClientHello();
      const plain = { ...target, origin: target.origin.replace("https:", "http:") };
      hold(200, unlimited, () => {
        const socket = open(plain);
        socket.write(hello);
        return socket.once("data", () => socket.resetAndDestroy());
      });
    },
  },
  "tls-handshakes": {
    description: "complete TLS handshakes as fast as possible, 200 at a time",
    isTls: true,
    start: (target) =>
      hold(200, unlimited, () => {
        const socket = open(target);
        return socket.once("secureConnect", () => socket.destroy());
      }),
  },
  "large-headers": {
    description: "64 connections send 15 KB of headers, or a path of 15 KB, in a closed loop",
    start: inLoop(64, createLargeRequests),
  },
  "blank-headers": {
    description: "a key sends headers of 15 KB of white space and separators on 16 connections in a closed loop",
    start: inLoop(16, createBlankHeaders),
  },
  "full-table": {
    description: "two keys hold 5,000 connections each, while 500 new connections per second send nothing",
    processes: 3,
    start: (target, index) => {
      const key = target.keys[index];
      if (index < 2)
        hold(5_000, 2_500, () => {
          const socket = onResponse(open(target));
          socket.write(get("/v1/pets/1", key));
          return socket;
        });
      else hold(5_000, 500, (n) => open(target, addressOf(n)).resume());
    },
  },
  "flood-own-address": {
    description: "new connections from the client's address as fast as possible, which send nothing",
    start: (target) => hold(2_000, unlimited, () => open(target, clientAddress).resume()),
  },
  "forwarded-keys": {
    description:
      "128 connections of a trusted proxy in a closed loop, each request of another address with another invalid key",
    settings: { TRUST_PROXY: attackerAddress },
    start: inLoop(128, () => () => {
      const address = [...randomBytes(4)].join(".");
      return get("/v1/pets", createKey(), `X-Forwarded-For: ${address}`);
    }),
  },
  "tiny-chunks": {
    description: "a key sends bodies of 60 KB in chunks of one byte on 64 connections in a closed loop",
    start: inLoop(64, ({ keys: [key] }) => {
      const body = `${" ".repeat(60_000)}${newPet}`.replace(/./g, "1\r\n$&\r\n");
      const request = post("Transfer-Encoding: chunked", `${body}0\r\n\r\n`, key);
      return () => request;
    }),
  },
  "many-keys": {
    description: "100 keys request pages of 600 KB on 3 connections each in a closed loop",
    start: (target) =>
      hold(300, 2_000, (n) => sendInLoop(open(target), () => get(expensivePage, target.keys[n % target.keys.length]))),
  },
  "file-heads": {
    description: "HEAD of Swagger UI's bundle on 128 connections in a closed loop, 8 deep",
    start: inLoop(128, () => () => bundleRequest.replace("GET", "HEAD"), 8),
  },
  "item-streams": {
    description: "a key reads 500,000 items of an iterable on 8 connections in a closed loop",
    isLibrary: true,
    start: inLoop(
      8,
      ({ keys: [key] }) =>
        () =>
          get("/v1/lines", key),
    ),
  },
  "held-bodies": {
    description: "a key sends bodies of 1 MiB with 350,000 values, which handlers hold for 2 s, on 64 connections",
    isLibrary: true,
    start: inLoop(64, ({ keys: [key] }) => {
      const body = `[${"{},".repeat(349_000)}{}]`;
      const request = post(`Content-Length: ${body.length}`, body, key).toString().replace("/v1/pets", "/v1/held");
      return () => request;
    }),
  },
  "handler-mistakes": {
    description:
      "a key calls an operation whose handler throws and returns all kinds of wrong values, on 64 connections",
    isLibrary: true,
    start: inLoop(
      64,
      ({ keys: [key] }) =>
        () =>
          get("/v1/mistakes", key),
    ),
  },
  files: {
    description: "64 connections read Swagger UI's bundle in a closed loop",
    start: inLoop(64, () => () => get(bundlePath)),
  },
};
