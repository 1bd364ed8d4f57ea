// A request as it was sent: what handlers, checks of credentials and formats of errors need to know beside its values.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyBaseLogger, FastifyRequest } from "fastify";

/** A request as it was sent. */
export class SentRequest {
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  /** Its id, as in the log and in the header X-Request-Id of the response. */
  get id(): string {
    return this.#request.id;
  }

  /** The network address of the client. Behind a trusted proxy, that of its X-Forwarded-For. */
  get address(): string {
    return this.#request.ip;
  }

  get method(): string {
    return this.#request.method;
  }

  /** The path with the query: `new URL(request.url, request.origin)` is the whole URL. */
  get url(): string {
    return this.#request.originalUrl;
  }

  /** The scheme and host, such as `https://api.example`. Behind a trusted proxy, those of its X-Forwarded headers. */
  get origin(): string {
    const { protocol, host } = this.#request;
    return `${protocol}://${host}`;
  }

  /** The media type of the body in lower case, without parameters; undefined for none. */
  get mediaType(): string | undefined {
    return this.#request.mediaType?.toLowerCase();
  }

  /** The headers as they were sent, with their names in lower case. */
  get headers(): IncomingHttpHeaders {
    return this.#request.raw.headers;
  }

  /** The logger of the request: its lines have the id. */
  get log(): FastifyBaseLogger {
    return this.#request.log;
  }

  /** The request of Node, for what the others do not tell, such as the certificate of the client. */
  get raw(): IncomingMessage {
    return this.#request.raw;
  }
}
