// The options of `createServer` and of the plugin `openApi`.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { AppEdgeOptions, EdgeOptions } from "../../http/index.ts";
import type { Document } from "../document/document.ts";
import type { UntypedHandler } from "../operation/call.ts";
import type { ErrorFormat, FailureContext } from "../operation/error-format.ts";
import type { Wrap } from "../operation/wrap.ts";
import type { SecuritySchemes } from "../routing/authentication.ts";
import type { MappedError } from "../routing/error-table.ts";
import type { Formats } from "../schema/keyword.ts";
import type { Handlers } from "../types/handler.ts";
import type { DocumentTypes } from "../types/modules.ts";

/** The operations of a document of which no types are generated. */
export interface UntypedOperations {
  readonly untyped: never;
}

/** What is served: the options of `createServer` and of the plugin `openApi`. */
export interface OpenApiOptions<Operations = UntypedOperations, Context = unknown, Caller = unknown> {
  /** A path, a file URL, or the parsed object. */
  readonly document: string | URL | object;
  /**
   * The export `types` of the generated file, which also has the types of the operations. Types that were generated from another
   * document are an error.
   */
  readonly types?: DocumentTypes<Operations> | undefined;
  /** By operationId. Each operation needs one, unless `mock` is set. */
  readonly handlers?:
    | ([Operations] extends [UntypedOperations]
        ? Readonly<Record<string, UntypedHandler>>
        : Partial<Handlers<NoInfer<Operations>, Context, Caller>>)
    | undefined;
  /** The checks of credentials, by the names of the document's security schemes. */
  readonly security?: SecuritySchemes<Caller> | undefined;
  /** The second argument of each handler. */
  readonly context?: Context | undefined;
  /**
   * Receives sentences for the operator: what a start does that takes longer than 2 s, and which records are not served. By default,
   * they are logged as warnings.
   */
  readonly report?: ((message: string) => void) | undefined;
  /** Answers operations that have no handler, such as a store of their records. */
  readonly resources?: ResourceSource | undefined;
  /** Operations without a handler respond with examples, and schemes without a check accept each credential. */
  readonly mock?: boolean | undefined;
  /** Run around each handler, such as for transactions and metrics. The first is the outermost. */
  readonly wrap?: Wrap<Context, Caller> | readonly Wrap<Context, Caller>[] | undefined;
  /** The errors that handlers can throw or return, with their statuses and codes. */
  readonly errors?: readonly MappedError[] | undefined;
  /**
   * The shape of error responses. The default is that of `problemDetails` (RFC 9457) where the document declares
   * application/problem+json and no other JSON, and otherwise `{ code, message, status }`.
   */
  readonly formatError?: ErrorFormat | undefined;
  /** Is called for each failure of a handler or of what it depends on (500 and 503), beside the log. */
  readonly onError?: ((error: Error, context: FailureContext) => unknown) | undefined;
  /**
   * Serves Swagger UI at /docs and below, and the document at /openapi.json. The default is true, unless an operation has
   * one of these paths. They take precedence over parameters in paths, such as `/{name}`.
   */
  readonly docs?: boolean | undefined;
  /**
   * By default, a document is refused that contradicts itself or the specification, and what would not be enforced, such as an
   * unknown format, is logged as a warning. `true` also refuses a document with a warning, and `false` serves the valid part of an
   * invalid document. It is false by default for `mock`.
   */
  readonly strict?: boolean | undefined;
  /** The rules of errors and warnings that are accepted, as the messages name them: `["format:unix-time", "keyword"]`. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * The folders to which references to files (`$ref`, `externalValue`) may lead, besides that of the document, or the working directory
   * for a parsed object: `["../schemas"]`. They are relative to the working directory.
   */
  readonly allowedFolders?: readonly string[] | undefined;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknownQuery?: boolean | undefined;
  /**
   * Formats besides those of JSON Schema and OpenAPI, by name: whether a text has the format. A number is passed as its digits.
   */
  readonly formats?: Formats | undefined;
  /** Whether read-only members of a request body are rejected (400), or removed. The default is `reject`, but `drop` for `mock`. */
  readonly readOnly?: "reject" | "drop" | undefined;
  /** Whether requests are validated, and their credentials. It can only be false for `mock` without handlers. The default is true. */
  readonly validateRequests?: boolean | undefined;
  /**
   * Whether responses are compared with the document: `true` responds with 500 to one that does not match, `"log"` sends and logs
   * it. An undeclared status is a 500 in any case, and a write-only member is never sent. The default is true, unless NODE_ENV is
   * production.
   */
  readonly validateResponses?: boolean | "log" | undefined;
}

/** What answers operations that have no handler of the application. */
export interface ResourceSource {
  /** Is called when the server is created. Rejects with an Error if it can't answer the document. */
  open(document: Document, options: ResourceOptions): Promise<ResourceHandlers>;
}

/** What a ResourceSource needs to know of the server. */
export interface ResourceOptions {
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
}

/** Handlers that a server uses until it closes. */
export interface ResourceHandlers {
  /** The operationIds that are answered from records, which the documentation shows. */
  readonly answered: ReadonlySet<string>;
  /** By operationId. */
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
  /** Why the other operations need a handler, by operationId. Completes "it …". */
  readonly reasons: ReadonlyMap<string, string>;
  /** Releases what the handlers use. */
  close(): Promise<void>;
}

export interface ServerOptions<Operations, Context, Caller>
  extends OpenApiOptions<Operations, Context, Caller>,
    Partial<
      Pick<
        EdgeOptions,
        "logger" | "trustProxy" | "tls" | "maxConnections" | "identify" | "compression" | "gracePeriod" | "edge"
      >
    > {
  /** The origins whose pages may call the server. The default is none. */
  readonly origins?: readonly string[] | undefined;
  /**
   * The names of the server, besides localhost and IP addresses. It then rejects requests for other names (421), and those of pages of
   * other sites (403), except `origins`. With `security`, operations that need a credential are not affected, unless browsers send it by themselves: a cookie, a password or a certificate. By default, no request is rejected.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Adds what the application has beside the document: hooks, plugins, decorators and routes. Their order is behind the limits,
   * and before the routes of the document.
   */
  readonly extend?: ((app: FastifyInstance) => unknown) | undefined;
}

/** The options of the plugin `openApi`. */
export interface PluginOptions<Operations = UntypedOperations, Context = unknown, Caller = unknown>
  extends OpenApiOptions<Operations, Context, Caller> {
  /**
   * Adds what `createServer` has around the routes of the document: limits, load shedding, CORS, compression, security headers,
   * X-Request-Id and the graceful shutdown. The limits are those of the server of the app. By default, all of it is the app's.
   */
  readonly edge?: boolean | PluginEdgeOptions | undefined;
}

/** The options of `createServer` about what is around the routes. */
export type PluginEdgeOptions = Partial<
  Pick<AppEdgeOptions, "trustProxy" | "maxConnections" | "identify" | "compression" | "gracePeriod">
> &
  Pick<ServerOptions<UntypedOperations, unknown, unknown>, "origins">;
