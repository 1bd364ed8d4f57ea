// The options of `createServer` and of the plugin `openApi`.
import type { FastifyInstance } from "fastify";
import type { AppEdgeOptions, EdgeOptions } from "../http/index.ts";
import type {
  DocumentTypes,
  ErrorFormat,
  FailureContext,
  Formats,
  Handlers,
  MappedError,
  OperationId,
  SecuritySchemes,
  UnansweredId,
  UntypedHandler,
  Wrap,
} from "../openapi/index.ts";
import type { AggregatorClient, RateLimit, StaticKey, Tracing } from "../operate/index.ts";
import type { ResourceSource } from "../resources/index.ts";

/** The operations of a document of which no types are generated. */
export interface UntypedOperations {
  readonly untyped: never;
}

/** What is served: the options of `createServer` and of the plugin `openApi`. */
export interface OpenApiOptions<Operations = UntypedOperations, Context = unknown, Caller = unknown> {
  /** A path, a file URL, the parsed object, or a document that the program has compiled. */
  readonly document: string | URL | object;
  /**
   * The export `types` of the generated file, which also has the types of the operations. Types that were generated from another
   * document are an error.
   */
  readonly types?: DocumentTypes<Operations> | undefined;
  /** By operationId. Each operation needs one, unless `mock` is set or `resources` answers it. */
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
  /**
   * Whether the header Prefer can delay the response of a handler (`delay=500`, in milliseconds), or select an example of another status
   * (`code=503`): for tests of clients. The default is false. A mock always follows it.
   */
  readonly prefer?: boolean | undefined;
  /** Whether requests are validated, and their credentials. It can only be false for `mock` without handlers. The default is true. */
  readonly validateRequests?: boolean | undefined;
  /**
   * Whether responses are compared with the document: `true` responds with 500 to one that does not match, `"log"` sends and logs
   * it. An undeclared status is a 500 in any case, and a write-only member is never sent. The default is true, unless NODE_ENV is
   * production.
   */
  readonly validateResponses?: boolean | "log" | undefined;
}

type WithHandlers<Ids extends string> =
  Record<never, never> extends Record<Ids, unknown>
    ? unknown
    : { readonly handlers: { readonly [Id in Ids]: unknown } };

/**
 * The handlers that the options need to have: with a store, those of operations that it does not answer; with `partial` of `openStore`, or
 * `mock`, none; and otherwise all. The compiler names a missing one, if the operations have types.
 */
type RequiredHandlers<Operations> = [Operations] extends [UntypedOperations]
  ? unknown
  : // The compiler reports the last of those that match equally well.
      | { readonly mock: boolean | undefined }
      | { readonly resources: (ResourceSource & { readonly partial?: undefined }) | undefined }
      | (WithHandlers<UnansweredId<Operations>> & {
          readonly resources: (ResourceSource & { readonly partial: false }) | undefined;
        })
      | (WithHandlers<OperationId<Operations>> & { readonly resources?: undefined });

/** Who may call operations, and how often. Each part is off unless it is set. */
export interface AccessOptions {
  /** The name of the service: of its metrics, traces and schema in PostgreSQL, and in challenges. By default, that of the title. */
  readonly name?: string | undefined;
  /**
   * Accepts the API keys of the store of `resources`, for the security schemes that `security` does not have. A key is the token, the
   * API key, the password, or the user name without one. The scopes that it has are compared with those that the operation requires.
   */
  readonly apiKeys?: boolean | undefined;
  /** Further keys, which are not in the store. */
  readonly staticKeys?: readonly StaticKey[] | undefined;
  /** The URL of an issuer (OAuth 2.0, OpenID Connect) whose access tokens are valid, beside keys. See `createTokenCheck`. */
  readonly issuer?: string | undefined;
  /** What the claim `aud` of its tokens must have. By default, tokens for other services are accepted, too. */
  readonly audience?: string | undefined;
  /** The maximum rate of calls per API key, and per caller that a token names. */
  readonly rateLimit?: RateLimit | null | undefined;
  /** A Valkey or Redis server that counts the calls of several machines. */
  readonly rateLimitStore?: string | undefined;
  /** The maximum rate of invalid credentials per network address. The default is 100 in 60 s. */
  readonly rateLimitFailed?: RateLimit | undefined;
}

/** What operators of a service need. Each part is off unless it is set. */
export interface OperatorOptions extends AccessOptions {
  /** Serves /healthz and /readyz. */
  readonly health?: boolean | undefined;
  /** Serves /metrics and /status.json, to operator keys, and logs one line for each request. */
  readonly metrics?: boolean | undefined;
  /** Networks that may read /metrics without a key. */
  readonly metricsFrom?: readonly string[] | undefined;
  /** An operator key that needs no store. */
  readonly operatorKey?: string | undefined;
  /** The metrics of all processes. By default, those of this process. */
  readonly aggregator?: AggregatorClient | undefined;
  /** An OTLP/HTTP endpoint to which traces are sent: `http://127.0.0.1:4318`. */
  readonly tracing?: string | Tracing | undefined;
  /** The number of processes of the service, of which this is one: workers of `cluster`. The default is 1. */
  readonly workers?: number | undefined;
  /** The public URL of the API, with the base path of the document. By default, it is that of each request. */
  readonly publicUrl?: string | undefined;
  /** The public URL of the API in staging, for the document. */
  readonly stagingUrl?: string | undefined;
  /**
   * What the variables of a program begin with, whose settings these options are: messages then name its options and variables. By
   * default, they name the options of `createServer`.
   */
  readonly variablePrefix?: string | undefined;
}

export type ServerOptions<Operations, Context, Caller> = OpenApiOptions<Operations, Context, Caller> &
  RequiredHandlers<NoInfer<Operations>> &
  ServerOnlyOptions;

interface ServerOnlyOptions
  extends OperatorOptions,
    Partial<
      Pick<
        EdgeOptions,
        | ("logger" | "trustProxy" | "tls" | "maxConnections" | "identify" | "compression" | "gracePeriod" | "edge")
        | ("headersTimeout" | "monitor")
      >
    > {
  /** The origins whose pages may call the server: `*` for any, `localhost` for those of this machine. The default is none. */
  readonly origins?: readonly string[] | undefined;
  /**
   * The names of the server, besides localhost and IP addresses. It then rejects requests for other names (421), and those of pages of
   * other sites (403), except `origins`. With `security`, operations that need a credential are not affected, unless browsers send it by themselves: a cookie, a password or a certificate. By default, no request is rejected.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves the operations to agents at /mcp (Model Context Protocol), all or those with these operationIds and tags. Requests to /mcp
   * for other names than `allowedHosts` are rejected (421). Needs the package @modelcontextprotocol/sdk.
   */
  readonly mcp?: boolean | { readonly include?: readonly string[] | undefined } | undefined;
  /**
   * Adds what the application has beside the document: hooks, plugins, decorators and routes. Their order is behind the limits,
   * and before the routes of the document.
   */
  readonly extend?: ((app: FastifyInstance) => unknown) | undefined;
}

/** The options of the plugin `openApi`. */
export type PluginOptions<Operations = UntypedOperations, Context = unknown, Caller = unknown> = OpenApiOptions<
  Operations,
  Context,
  Caller
> &
  RequiredHandlers<NoInfer<Operations>> &
  PluginOnlyOptions;

interface PluginOnlyOptions extends AccessOptions {
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
