// API keys: authentication, rate limits, usage counts and operator access.
export {
  type Caller,
  callerOf,
  createBearerScheme,
  createKeyLookup,
  generateKey,
  isKeyName,
  type KeyLookup,
  keyNameRule,
} from "./authentication.ts";
export { createFailureLimiter, limitKeyRate } from "./key-rate-limits.ts";
export { KeyUsage, trackKeyUsage } from "./key-usage.ts";
export { createClientMatcher, requireOperator } from "./operator-access.ts";
