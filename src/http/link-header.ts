// The Link header (RFC 8288).
import type { FastifyReply } from "fastify";

/** Returns the links to the document and its documentation (RFC 8631). `root` is the URL above /docs and /openapi.json. */
export function serviceLinks(root: string): string {
  return `<${root}/openapi.json>; rel="service-desc", <${root}/docs>; rel="service-doc"`;
}

/** Sets a header of the response. Appends to Link, which is a list (RFC 8288, section 3). */
export function appendHeader(reply: FastifyReply, name: string, value: string): void {
  const present = name.toLowerCase() === "link" && reply.getHeader(name);
  reply.header(name, present ? `${present}, ${value}` : value);
}
