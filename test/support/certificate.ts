// Creates certificates and sends requests for tests of TLS.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { generate } from "selfsigned";
import type { Test } from "tap";
import { folder } from "./files.ts";

/** Creates a certificate for localhost that is valid for `days`, and its key. Returns both as files, in PEM, and as the option `tls`. */
export async function createCertificate(t: Pick<Test, "teardown">, days: number) {
  const path = folder(t);
  const pems = await generate([{ name: "commonName", value: "localhost" }], {
    notAfterDate: new Date(Date.now() + days * 86_400_000),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  const files = { TLS_CERT: join(path, "cert.pem"), TLS_KEY: join(path, "key.pem") };
  writeFileSync(files.TLS_CERT, pems.cert);
  writeFileSync(files.TLS_KEY, pems.private);
  const tls = { cert: Buffer.from(pems.cert), key: Buffer.from(pems.private) };
  return { files, cert: pems.cert, key: pems.private, tls };
}

/** A response over TLS, and the certificate of the server. */
export interface TlsResponse {
  status: number | undefined;
  /** The value of Strict-Transport-Security. */
  hsts: string | undefined;
  /** The fingerprint of the server's certificate. */
  fingerprint: string;
}

/** Requests /v1/pets without a key from a port on loopback. Trusts only the certificate `ca`. */
export async function getOverTls(port: number, ca: string): Promise<TlsResponse> {
  const outgoing = get({ host: "127.0.0.1", port, path: "/v1/pets", ca, servername: "localhost", agent: false });
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const { fingerprint256: fingerprint } = (incoming.socket as TLSSocket).getPeerCertificate();
  const { statusCode: status, headers } = incoming.resume();
  await once(incoming, "end");
  return { status, hsts: headers["strict-transport-security"], fingerprint };
}

/** The first bytes of a ClientHello (RFC 8446, section 4.1.2), for handshakes that a client does not complete. */
export const clientHello = Buffer.from("16030100a5010000a10303", "hex");
