// The Link header of responses (RFC 8288).
import type { FastifyReply } from "fastify";

/** Sets a header of the response. Appends to Link, which is a list (RFC 8288, section 3). */
export function setHeader(reply: FastifyReply, name: string, value: string): void {
  const current = name.toLowerCase() === "link" && reply.getHeader(name);
  reply.header(name, current ? `${current}, ${value}` : value);
}
