// TLS of the service as a process: SIGHUP reads a new certificate, with and without workers; SIGTERM.
import { once } from "node:events";
import { renameSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectByTls } from "node:tls";
import t from "tap";
import { clientHello, createCertificate, getOverTls } from "../support/certificate.ts";
import { createSqliteStore } from "../support/faults.ts";
import { lastLines, petstoreProcess, type Server, startServer } from "../support/processes.ts";
import { until } from "../support/wait.ts";

const portOf = ({ url }: Server) => Number(new URL(url).port);
const untilLogged = ({ out }: Server, message: RegExp) =>
  until(
    () => message.exec(out.stdout)?.[0],
    () => lastLines(out),
  );

t.test(
  "SIGHUP reads a new certificate for new connections; a certificate that does not match its key changes nothing",
  async (t) => {
    const old = await createCertificate(t, 30);
    const fresh = await createCertificate(t, 60);
    const server = await startServer(t, { DATABASE_URL: "sqlite::memory:", ...old.files });
    t.match(server.url, /^https:/);
    const port = portOf(server);
    const before = await getOverTls(port, old.cert);
    t.match(before, { status: 401, hsts: /max-age=/ });

    const open = connectByTls({ port, host: "127.0.0.1", ca: old.cert, servername: "localhost" });
    const responses = text(open);
    open.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    renameSync(fresh.files.TLS_CERT, old.files.TLS_CERT);
    server.child.kill("SIGHUP");
    await untilLogged(server, /"reason":".*"msg":"failed to reload the certificate"/);
    t.equal((await getOverTls(port, old.cert)).fingerprint, before.fingerprint, "half of a new pair changes nothing");
    renameSync(fresh.files.TLS_KEY, old.files.TLS_KEY);
    server.child.kill("SIGHUP");
    await untilLogged(server, /certificate reloaded/);
    t.not((await getOverTls(port, fresh.cert)).fingerprint, before.fingerprint);
    const cbc = { ca: fresh.cert, servername: "localhost", maxVersion: "TLSv1.2", ciphers: "AES128-SHA256" } as const;
    await t.rejects(once(connectByTls({ port, host: "127.0.0.1", ...cbc }), "secureConnect"), "only AEAD, as before");
    open.end("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    t.equal((await responses).split("HTTP/1.1 200 OK").length, 3, "open connections stay open");

    const stalled = connect(port, "127.0.0.1").on("error", () => {});
    stalled.resume().write(clientHello);
    await once(stalled, "connect");
    t.equal((await getOverTls(port, fresh.cert)).status, 401); // the stalled connection has been accepted, too
    const { code, ms } = await server.end("SIGTERM");
    t.equal(code, 0);
    t.ok(ms < 7_500, `it took ${ms} ms: connections are closed after 8 s`);
  },
);

t.test("Workers serve https, and SIGHUP to the primary makes them read a new certificate", async (t) => {
  const old = await createCertificate(t, 30);
  const fresh = await createCertificate(t, 60);
  const { settings } = await createSqliteStore(t);
  const server = await startServer(t, { ...settings, LOG_LEVEL: "info", WORKERS: "2", ...old.files });
  t.equal((await getOverTls(portOf(server), old.cert)).status, 401);
  for (const name of ["TLS_CERT", "TLS_KEY"] as const) renameSync(fresh.files[name], old.files[name]);
  server.child.kill("SIGHUP");
  await untilLogged(server, /worker started.*worker started/s);
  // An old worker may still accept until it has ended.
  await untilLogged(server, /worker stopped.*worker stopped/s);
  t.equal((await getOverTls(portOf(server), fresh.cert)).status, 401);
});

t.test("A certificate that can't be used ends the start with one line and exit code 1", async (t) => {
  const { files } = await createCertificate(t, 1);
  t.match(petstoreProcess({ DATABASE_URL: "sqlite::memory:", ...files, TLS_CERT: "/nowhere" }, "serve"), {
    status: 1,
    stderr: /^petstore: The file of --tls-cert \(TLS_CERT\) can't be read: ENOENT.*\n$/,
  });
});
