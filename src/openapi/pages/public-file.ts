// Files that pages of any origin may read, such as the document.
import type { FastifyInstance } from "fastify";
import { type StaticFile, serveFile } from "../../http/index.ts";

const publicHeaders = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

/** Serves a file that pages of any origin may read. */
export function servePublicFile(app: FastifyInstance, file: StaticFile): void {
  serveFile(app, { ...file, headers: { ...publicHeaders, ...file.headers } });
}

/** Returns the Link header of the document and its documentation (RFC 8631). `root` is the URL that precedes /docs. */
export function serviceLinks(root: string): string {
  return `<${root}/openapi.json>; rel="service-desc", <${root}/docs>; rel="service-doc"`;
}
