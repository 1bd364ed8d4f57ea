// TLS: https, old versions, clients without TLS, and handshakes that never finish.
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect as connectByTls } from "node:tls";
import t, { type Test } from "tap";
import { clientHello, createCertificate, getOverTls } from "../../support/certificate.ts";
import { petstore } from "../../support/command.ts";
import { start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

async function startTls(t: Test, headersTimeout?: number, settings: Record<string, string> = {}) {
  const { cert, tls } = await createCertificate(t, 30);
  return { ...(await start(t, { settings, tls, overrides: { headersTimeout } })), cert };
}

/** Opens a connection and sends bytes that do not finish the handshake. Resolves when the service closes it. */
function stallHandshake(port: number, bytes: Buffer): Promise<unknown> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.resume().write(bytes);
  return once(socket, "close");
}

t.test("Serves https with Strict-Transport-Security, and neither http, TLS before 1.2 nor CBC", async (t) => {
  const { port, cert } = await startTls(t);
  t.match(await getOverTls(port, cert), { status: 401, hsts: /max-age=/ });
  const plain = connect(port, "127.0.0.1");
  plain.end("GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n");
  t.equal(await text(plain), "", "no response to http");
  const shakeHands = (options: ConnectionOptions) =>
    once(connectByTls({ port, host: "127.0.0.1", ca: cert, servername: "localhost", ...options }), "secureConnect");
  await t.rejects(shakeHands({ maxVersion: "TLSv1.1" }));
  for (const ciphers of ["AES128-SHA256", "ECDHE-RSA-AES128-SHA256", "AES128-GCM-SHA256"])
    await t.rejects(shakeHands({ maxVersion: "TLSv1.2", ciphers }), { code: /HANDSHAKE_FAILURE/ }, ciphers);
  for (const ciphers of ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"])
    await t.resolves(shakeHands({ maxVersion: "TLSv1.2", ciphers }), ciphers);
  t.match(await getOverTls(port, cert), { status: 401 }, "the service still responds");
});

t.test("Closes connections whose TLS handshake exceeds the timeout of headers, and logs nothing", async (t) => {
  const headersTimeout = 300;
  const { port, cert, logs } = await startTls(t, headersTimeout, { MAX_CONNECTIONS: "3" });
  const began = performance.now();
  const closed = async (bytes: Buffer) => {
    await stallHandshake(port, bytes);
    return performance.now() - began;
  };
  const times = await Promise.all([closed(clientHello), closed(Buffer.alloc(0)), closed(clientHello)]);
  t.ok(Math.min(...times) > headersTimeout - 10 && Math.max(...times) < 60_000, `${times} ms`);
  t.match(await getOverTls(port, cert), { status: 401 }, "another client can connect");
  t.notMatch(JSON.stringify(logs), /malformed/);
});

t.test("Shuts down without waiting for TLS handshakes", async (t) => {
  const headersTimeout = 30_000;
  const { port, app, close } = await startTls(t, headersTimeout);
  const closed = [stallHandshake(port, clientHello), stallHandshake(port, Buffer.alloc(0))];
  let accepted = 0;
  app.server.on("connection", () => accepted++);
  await until(
    () => accepted === 2,
    () => `${accepted} connections`,
  );
  const began = performance.now();
  await close();
  await Promise.all(closed);
  const ms = performance.now() - began;
  t.ok(ms < headersTimeout / 2, `it took ${ms} ms`);
});

t.test("Responds to a client that closes its side after its request, and then closes the connection", async (t) => {
  const { port, cert } = await startTls(t);
  // The types of Node do not declare allowHalfOpen here.
  const options = { port, host: "127.0.0.1", ca: cert, servername: "localhost", allowHalfOpen: true };
  const socket = connectByTls(options as ConnectionOptions);
  await once(socket, "secureConnect");
  socket.end("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  t.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n/);
});

t.test("Exits with one line if TLS_CERT and TLS_KEY are not a certificate and its private key", async (t) => {
  const [one, other] = [(await createCertificate(t, 1)).files, (await createCertificate(t, 1)).files];
  for (const [settings, message] of [
    [
      { TLS_CERT: one.TLS_CERT },
      /--tls-key \(TLS_KEY\) is not set\. Set both --tls-cert \(TLS_CERT\) and --tls-key \(TLS_KEY\)\./,
    ],
    [
      { TLS_KEY: one.TLS_KEY },
      /--tls-cert \(TLS_CERT\) is not set\. Set both --tls-cert \(TLS_CERT\) and --tls-key \(TLS_KEY\)\./,
    ],
    [{ ...one, TLS_CERT: "/nowhere" }, /The file of --tls-cert \(TLS_CERT\) can't be read: ENOENT/],
    [
      { ...one, TLS_KEY: other.TLS_KEY },
      /--tls-cert \(TLS_CERT\) and --tls-key \(TLS_KEY\) must be a certificate and its private key: .*mismatch/,
    ],
  ] as const)
    t.match(await petstore({ DATABASE_URL: "sqlite::memory:", ...settings }, ["serve"]), {
      status: 1,
      stderr: new RegExp(`^petstore: ${message.source}.*\\n$`),
    });
});
