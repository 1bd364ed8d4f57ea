// Who may call operations, and how often: keys, tokens and rate limits. `createServer` and the plugin `openApi` share it.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { ignoreFailure } from "../lib/index.ts";
import { createTokenCheck, type Document, IssuerKeys, type SecuritySchemes } from "../openapi/index.ts";
import {
  type AuthenticationOptions,
  createFailureLimiter,
  createIdentification,
  createKeySchemes,
  isJwt,
  limitKeyRate,
  listKeySchemes,
  openKeyCounter,
  trackKeyUsage,
  withStaticKeys,
} from "../operate/index.ts";
import type { ResourceHandlers } from "../resources/index.ts";
import type { AccessOptions, ServerOptions } from "./options.ts";

const defaultFailureLimit = { count: 100, seconds: 60 };

type Options = AccessOptions &
  Pick<ServerOptions<unknown, unknown, unknown>, "mock" | "monitor" | "security" | "workers">;

/** A service whose operations are called. */
export interface CalledService {
  readonly document: Document;
  /** The name of the service. */
  readonly name: string;
  readonly logger: FastifyBaseLogger;
  /** Receives sentences for the operator. */
  readonly report: (message: string) => void;
  readonly resources: ResourceHandlers | undefined;
}

/** What identifies clients, and what their requests pass. */
export type Access = Awaited<ReturnType<typeof openAccess>>;

/** Opens what identifies clients and counts their calls. Rejects with an Error if an option has no effect without another one. */
export async function openAccess(options: Options, { document, logger: log, name, report, resources }: CalledService) {
  const { apiKeys = false, staticKeys = [], issuer, audience, security = {}, monitor, rateLimit } = options;
  const { rateLimitStore: url = "", rateLimitFailed = defaultFailureLimit, workers = 1 } = options;
  for (const [option, limit] of Object.entries({ rateLimit, rateLimitFailed }))
    if (limit && !(limit.count > 0 && limit.seconds > 0))
      throw new Error(`The option \`${option}\` must have a count and seconds, such as { count: 100, seconds: 60 }.`);
  const store = resources?.store;
  if (apiKeys && store === undefined) throw new Error("The option `apiKeys` needs `resources` with a store of keys.");
  if (audience !== undefined && issuer === undefined)
    throw new Error("The option `audience` needs `issuer`, whose tokens it is for.");
  const acceptsKeys = apiKeys || staticKeys.length > 0 || issuer !== undefined;
  const schemes = listKeySchemes(acceptsKeys ? document.operations : [], security);
  const keys = withStaticKeys(staticKeys, apiKeys ? store?.keys : undefined);
  const identification = createIdentification(keys, [...schemes.values()], issuer === undefined ? undefined : isJwt);
  const counting = { url, workers, log, clock: monitor?.clock };
  const counter = rateLimit ? await openKeyCounter({ limit: rateLimit, ...counting }) : undefined;
  return {
    /** Counts the calls of keys, if there is a rate limit. Must be closed. */
    counter,
    /** Identifies the client of a request; undefined if clients send neither keys nor tokens. */
    identify: acceptsKeys ? identification.identify : undefined,
    /** Returns what requests pass before handlers. Throws an Error for an operation that no key can satisfy, unless it is a mock. */
    secure(app: FastifyInstance) {
      const usage = trackKeyUsage(app, store?.keys);
      const authentication: AuthenticationOptions = {
        realm: options.name ?? document.content.info?.title ?? name,
        identification,
        usage,
        failureLimiter: createFailureLimiter(rateLimitFailed, monitor?.clock),
        checkToken: issuer === undefined ? undefined : createIssuerCheck(issuer, audience, report),
      };
      const refuse = (problem: string) => {
        if (!options.mock) throw new Error(problem);
        report(problem);
      };
      const keySchemes = acceptsKeys ? createKeySchemes(document.operations, security, authentication, refuse) : {};
      const guards = [usage.countDeprecated, ...(rateLimit && counter ? [limitKeyRate(rateLimit, counter, name)] : [])];
      return { authentication, security: { ...keySchemes, ...security } as SecuritySchemes, guards };
    },
  };
}

function createIssuerCheck(issuer: string, audience: string | undefined, report: (message: string) => void) {
  const keys = new IssuerKeys(issuer, report);
  ignoreFailure(keys.refresh()); // for the first token; reports a failure
  return createTokenCheck({ issuer, audience }, keys);
}
