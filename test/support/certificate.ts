// Certificates for tests of TLS.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";
import type { Test } from "tap";
import { folder } from "./files.ts";

/** A certificate for localhost, and its key, as files. */
export async function certify(t: Test, days: number) {
  const place = folder(t);
  const pems = await generate([{ name: "commonName", value: "localhost" }], {
    notAfterDate: new Date(Date.now() + days * 86_400_000),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  const files = { TLS_CERT: join(place, "cert.pem"), TLS_KEY: join(place, "key.pem") };
  writeFileSync(files.TLS_CERT, pems.cert);
  writeFileSync(files.TLS_KEY, pems.private);
  return { files, cert: pems.cert };
}
