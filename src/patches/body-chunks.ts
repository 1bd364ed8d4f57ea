// Node: how its HTTP parser passes the chunks of a body to the request (`push` and `_read`, and `_dumped` of a request whose body
// is discarded, Node 20 to 26: https://github.com/nodejs/node/blob/v26.x/lib/_http_common.js, parserOnBody;
// https://github.com/nodejs/node/blob/v26.x/lib/_http_incoming.js).
import type { IncomingMessage } from "node:http";

/** Node's own ways, which `interceptBody` replaces. */
export interface BodyStream {
  /** Passes a chunk on to the reader of the body, or null at its end. Returns whether the reader wants more. */
  push(chunk: Buffer | null): boolean;
  /** Lets the parser read on. */
  read(size: number): void;
  /** Whether the body is discarded, because the request was rejected. */
  readonly isDiscarded: boolean;
}

/**
 * Intercepts the body of a request: `push` is called with each chunk that the parser has read, and returns whether it may read
 * more; `read` is called when the reader of the body wants more.
 */
export function interceptBody(request: IncomingMessage, { push, read }: Pick<BodyStream, "push" | "read">): BodyStream {
  const own = { push: request.push, read: request._read };
  request.push = push;
  request._read = read;
  return {
    push: (chunk) => own.push.call(request, chunk),
    read: (size) => own.read.call(request, size),
    get isDiscarded() {
      return (request as { _dumped?: boolean })._dumped === true;
    },
  };
}
