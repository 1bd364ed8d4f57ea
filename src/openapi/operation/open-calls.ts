// Long-running calls: those whose handlers use their signal, and server-sent events. A shutdown ends them.
import type { ServerResponse } from "node:http";

/** A response body that can be closed before it is complete. */
export interface EventStream {
  close(): void;
}

/** Ends calls when the server closes. */
export class OpenCalls {
  readonly #controllers = new Map<ServerResponse, AbortController>();
  readonly #streams = new Map<ServerResponse, EventStream>();
  #closingTime: number | undefined; // milliseconds in which calls can complete, once the server closes
  #isAborting = false;

  /**
   * Returns a signal that is aborted when the response or the client's side of the connection is closed, or by `close`. A client that
   * closes its side has disconnected, as far as one can know: few still wait for a response.
   */
  createSignal(response: ServerResponse): AbortSignal {
    const { socket } = response.req;
    if (this.#isAborting || response.writableFinished || response.destroyed || socket.readableEnded)
      return AbortSignal.abort();
    const controller = new AbortController();
    this.#controllers.set(response, controller);
    const abort = () => {
      this.#controllers.delete(response);
      socket.off("end", abort);
      controller.abort();
    };
    socket.once("end", abort);
    response.once("close", abort);
    return controller.signal;
  }

  /** Adds a response of server-sent events, which `close` ends. */
  addEventStream(response: ServerResponse, stream: EventStream): void {
    if (this.#closingTime !== undefined) this.#end(response, stream, this.#closingTime);
    this.#streams.set(response, stream);
    response.once("close", () => this.#streams.delete(response));
  }

  /**
   * Ends server-sent events, also those that begin later, and aborts their signals: the clients connect to another server.
   * Aborts the signals of all other calls after `time` milliseconds, in which they can complete, and closes the connections of clients
   * that do not read their events.
   */
  close(time: number): void {
    this.#closingTime = time;
    for (const [response, stream] of this.#streams) this.#end(response, stream, time);
    setTimeout(() => {
      this.#isAborting = true;
      for (const controller of this.#controllers.values()) controller.abort();
    }, time).unref();
  }

  #end(response: ServerResponse, stream: EventStream, time: number): void {
    // An existing app would wait for the next request of the connection.
    response.once("finish", () => response.req.socket.destroySoon());
    stream.close();
    this.#controllers.get(response)?.abort();
    const timer = setTimeout(() => response.destroy(), time);
    response.once("close", () => clearTimeout(timer));
  }
}
