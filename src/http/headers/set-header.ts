// Headers of responses that are lists: several parts of the service add to them.
import type { FastifyReply } from "fastify";

const lists = /^(link|vary)$/i; // RFC 8288, section 3; RFC 9110, section 12.5.5

/** Sets a header of the response. Appends to Link and Vary, which are lists, unless they have the value already. */
export function setHeader(reply: FastifyReply, name: string, value: string): void {
  const current = lists.test(name) ? reply.getHeader(name) : undefined;
  if (current === undefined) reply.header(name, value);
  else if (!`${current}`.split(", ").includes(value)) reply.header(name, `${current}, ${value}`);
}
