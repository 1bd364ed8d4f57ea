// What a server needs to know of the records of a document.
import type { FastifyBaseLogger } from "fastify";
import type { Document, UntypedHandler } from "../openapi/index.ts";
import type { Store } from "../store/index.ts";
import type { Plan } from "./recognition/plan.ts";

/** What answers operations that have no handler of the application. */
export interface ResourceSource {
  /** Is called when the server is created. Rejects with an Error if it can't answer the document. */
  open(document: Document, options: ResourceOptions): Promise<ResourceHandlers>;
}

/** What a ResourceSource needs to know of the server. */
export interface ResourceOptions {
  /** The name of the service. */
  readonly service: string;
  /** The handlers of the application, by operationId. */
  readonly handlers: object;
  /** The base URL of the operations, such as `/v1`. */
  readonly baseUrl: string;
  /** The maximum size of a body that has no limit in the document. */
  readonly maxBytes: number;
  readonly logger: FastifyBaseLogger;
  /** Receives sentences for the operator. */
  readonly report: (message: string) => void;
  /** Receives what the start does, which is reported if the start takes long. */
  readonly progress: (step: string) => void;
  /** Wraps the store, so that its calls are traced. */
  readonly traceStore?: ((store: Store) => Store) | undefined;
}

/** Handlers that a server uses until it closes. */
export interface ResourceHandlers {
  /** What the operations do, which the documentation shows. */
  readonly plan?: Plan | undefined;
  /** By operationId. */
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
  /** Why the other operations need a handler, by operationId. Completes "it …". */
  readonly reasons: ReadonlyMap<string, string>;
  /** The store, if it has one: its API keys, its metrics and its state. */
  readonly store?: Store | undefined;
  /** Releases what the handlers use. */
  close(): Promise<void>;
}
