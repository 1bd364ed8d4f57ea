// Links in headers (RFC 8288), which lead from an answer to what belongs to it.
import type { FastifyReply } from "fastify";

/** The links from the service to its document and documentation (RFC 8631). `root` is where /docs and /openapi.json are. */
export function serviceLinks(root: string): string {
  return `<${root}/openapi.json>; rel="service-desc", <${root}/docs>; rel="service-doc"`;
}

/** Adds a header to an answer. Link is a list (RFC 8288, section 3): what the answer has already stays in it. */
export function appendHeader(reply: FastifyReply, name: string, value: string): void {
  const present = name.toLowerCase() === "link" && reply.getHeader(name);
  reply.header(name, present ? `${present}, ${value}` : value);
}
