// Sends streams: downloads with their length, and streams of items, which can last as long as their client listens.
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { WrittenBody } from "../../wire/body-formats.ts";
import { toEventStream } from "../../wire/event-stream.ts";
import { closeWithClient, ItemStream, withByteChunks, withLength } from "../../wire/item-streams.ts";
import { essenceOf } from "../../wire/media-types.ts";
import type { OpenCalls } from "../open-calls.ts";

const maxHeaderDelay = 20; // milliseconds in which a stream can fail with an error response, before its headers are sent
const heartbeat = 15_000; // milliseconds without an event, at most; proxies close a connection that is idle for 30 to 60 s
const heartbeatCheck = 5_000; // milliseconds
const keepAliveDelay = 60_000; // milliseconds until the system checks whether the client of an idle connection still exists

/** Returns what is sent: a text, bytes or a stream. `length` is the Content-Length that the handler has set. */
export function toPayload(
  { type, payload }: WrittenBody,
  reply: FastifyReply,
  length: number | undefined,
  openCalls: OpenCalls,
): unknown {
  const stream = withByteChunks(payload);
  if (!(stream instanceof Readable)) return stream;
  const events = essenceOf(type) === "text/event-stream" ? toEventStream(stream) : undefined;
  if (events || stream instanceof ItemStream) keepOpen(reply.raw);
  if (events) {
    // Its client reconnects. Of other streams, an early end would look like the last item.
    openCalls.addEventStream(reply.raw, events);
    const timer = setInterval(() => events.beat(heartbeat - heartbeatCheck), heartbeatCheck).unref();
    reply.raw.once("close", () => clearInterval(timer));
  }
  return length === undefined ? (events ?? stream) : withLength(events ?? stream, length);
}

// Sends the headers before there is an item, and has no timeout: there can be none for any time.
function keepOpen(response: ServerResponse): void {
  closeWithClient(response);
  const { socket } = response.req;
  if (socket instanceof Socket) {
    const { timeout = 0 } = socket;
    socket.setTimeout(0).setKeepAlive(true, keepAliveDelay);
    response.prependOnceListener("finish", () => socket.setTimeout(timeout)); // before Node sets that of the next request
  }
  response.once("pipe", () => {
    const timer = setTimeout(() => response.headersSent || response.flushHeaders(), maxHeaderDelay);
    response.once("close", () => clearTimeout(timer));
  });
}
