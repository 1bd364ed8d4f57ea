// The TLS certificate of a service: files that can be read again while it runs.
import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import { createSecureContext, type Server as TlsServer } from "node:tls";
import type { FastifyInstance } from "fastify";
import { type Certificate, tlsOptions } from "../http/index.ts";
import { describeSetting, type Settings } from "../settings/index.ts";

type Files = Pick<Settings, "tlsCert" | "tlsKey" | "variablePrefix">;

/** Reads the certificate; undefined for none. Throws an Error that names the setting of a file that can't be used. */
export function readCertificate({ tlsCert, tlsKey, variablePrefix }: Files): Certificate | undefined {
  if (tlsCert === "" && tlsKey === "") return undefined;
  const [cert, key] = [describeSetting("tlsCert", variablePrefix), describeSetting("tlsKey", variablePrefix)];
  const read = (setting: string, file: string) => {
    if (file === "") throw new Error(`${setting} is not set. Set both ${cert} and ${key}.`);
    try {
      return readFileSync(file);
    } catch (error) {
      throw new Error(`The file of ${setting} can't be read: ${(error as Error).message}.`);
    }
  };
  const certificate = { cert: read(cert, tlsCert), key: read(key, tlsKey) };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new Error(`${cert} and ${key} must be a certificate and its private key: ${(error as Error).message}.`);
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
