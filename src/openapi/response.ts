// The responses of an operation: validates what a handler returns, and writes it.
import type { FastifyReply } from "fastify";
import { appendHeader } from "../http/index.ts";
import { Json, toJson } from "../lib/index.ts";
import type { OperationObject } from "./document-types.ts";
import type { Reject } from "./operation.ts";
import type { Part } from "./part.ts";
import type { Schemas, Validate } from "./schema.ts";
import { describeFailure } from "./validation-messages.ts";

const jsonType = "application/json";

/** The response of a handler without the types of its operation. The compiler has compared it with the document. */
export interface UntypedResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/** The responses that an operation declares. */
export class Responses {
  /** The names of the headers of any response. */
  readonly headers: readonly string[];
  readonly #bodies: ReadonlyMap<string, Validate | undefined>; // by status; undefined for a response without a body

  constructor(headers: readonly string[], bodies: ReadonlyMap<string, Validate | undefined>) {
    this.headers = headers;
    this.#bodies = bodies;
  }

  /**
   * Sends the response of a handler. A body that is JSON already is sent unchanged. Throws an Error if another body does
   * not match its schema. `links` is the Link header of failures.
   */
  write(reply: FastifyReply, { status, body, headers }: UntypedResponse, links: string | undefined): FastifyReply {
    const text = body === undefined || body instanceof Json ? body?.text : this.#serialize(status, body);
    reply.code(status);
    if (headers)
      for (const [name, value] of Object.entries(headers))
        if (value !== undefined) appendHeader(reply, name, String(value));
    if (status >= 400 && links !== undefined) appendHeader(reply, "link", links);
    return text === undefined ? reply.send() : reply.type(`${jsonType}; charset=utf-8`).send(text);
  }

  #serialize(status: number, body: unknown): string {
    // A status, a range such as 4XX, or the default (OpenAPI 3.1.1, section 4.8.16).
    const declared = [`${status}`, `${Math.floor(status / 100)}XX`].find((name) => this.#bodies.has(name));
    const validate = this.#bodies.get(declared ?? "default");
    if (validate === undefined) throw new Error(`The document declares no body for the status ${status}.`);
    const result = validate(body);
    if ("value" in result) return toJson(result.value);
    const { path, requirement } = describeFailure(result.errors, "field");
    throw new Error(`The handler returned a body of the status ${status} whose part '${path}' ${requirement}.`);
  }
}

/** Compiles the responses of an operation. Rejects media types that the server can't write. */
export function compileResponses(operation: Part<OperationObject>, schemas: Schemas, reject: Reject): Responses {
  const responses = operation.membersOf("responses");
  const bodies = responses.map(([status, response]): [string, Validate | undefined] => {
    const content = response.membersOf("content");
    const unsupported = content.find(([type]) => type !== jsonType)?.[0];
    if (unsupported) reject(`has a response ${status} of ${unsupported}, but only ${jsonType} is supported`);
    const schema = content[0]?.[1].written("schema");
    return [status, schema && schemas.compileCheckAt(schema.pointer)];
  });
  const headers = responses.flatMap(([, { value }]) => Object.keys(value.headers ?? {}));
  return new Responses(headers, new Map(bodies));
}
