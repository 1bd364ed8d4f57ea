// From Fastify to the handler: a route for each operation.
export type {
  Authenticate,
  CheckCredential,
  SecurityContext,
  SecurityScheme,
  SecuritySchemes,
} from "./authentication.ts";
export { decodeContent } from "./content-codings.ts";
export type { MappedError } from "./error-table.ts";
export type { Guard } from "./route.ts";
export { type RoutesOptions, routes } from "./routes.ts";
