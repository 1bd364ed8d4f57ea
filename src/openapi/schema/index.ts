// JSON Schema 2020-12 and the dialects of OpenAPI: evaluates values. Knows neither operations nor HTTP.
export { isJsonSchema, isOpenApiDialect, type Upgrade, upgradeSchema30 } from "./dialect.ts";
export { Identities } from "./equality.ts";
export type { Direction } from "./evaluation.ts";
export type { Formats, Validate, Validation } from "./keyword.ts";
export { findDefault } from "./keywords/defaults.ts";
export { type NamedAlternatives, nameAlternatives } from "./keywords/discriminator.ts";
export { isInt64 } from "./keywords/integers.ts";
export type { MarkedMembers } from "./marked-members.ts";
export { listReachable, type SchemaNode } from "./node.ts";
export {
  type CheckOptions,
  type ObjectMember,
  type ReportSchema,
  Schemas,
  type SchemasOptions,
} from "./schemas.ts";
export { isBinarySchema, Shape } from "./shape.ts";
export { compilePattern, tokenizePattern } from "./texts/regular-expressions.ts";
export { describeUnknown } from "./wording.ts";
