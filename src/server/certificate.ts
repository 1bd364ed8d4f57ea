// The TLS certificate of a service: files that can be read again while it runs.
import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import { createSecureContext, type Server as TlsServer } from "node:tls";
import type { FastifyInstance } from "fastify";
import { type Certificate, tlsOptions } from "../http/index.ts";
import { type Settings, settings } from "../settings/index.ts";

type Files = Pick<Settings, "tlsCert" | "tlsKey">;

/** Reads the certificate; undefined for none. Throws an Error that names the setting of a file that can't be used. */
export function readCertificate({ tlsCert, tlsKey }: Files): Certificate | undefined {
  if (tlsCert === "" && tlsKey === "") return undefined;
  const read = (name: keyof Files, file: string) => {
    const { variable } = settings[name];
    if (file === "") throw new Error(`${variable} is not set. Set both TLS_CERT and TLS_KEY.`);
    try {
      return readFileSync(file);
    } catch (error) {
      throw new Error(`The file in ${variable} can't be read: ${(error as Error).message}.`);
    }
  };
  const certificate = { cert: read("tlsCert", tlsCert), key: read("tlsKey", tlsKey) };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new Error(`TLS_CERT and TLS_KEY must be a certificate and its private key: ${(error as Error).message}.`);
  }
  return certificate;
}

/** Reads the certificate again, for new connections. If it is not valid, the previous one stays in use. */
export function reloadCertificate(app: FastifyInstance, files: Files): void {
  try {
    // Node resets the options that are not passed again.
    (app.server as Server as TlsServer).setSecureContext({ ...tlsOptions, ...readCertificate(files) });
    app.log.info("certificate reloaded");
  } catch (error) {
    app.log.error({ reason: (error as Error).message }, "failed to reload the certificate");
  }
}
