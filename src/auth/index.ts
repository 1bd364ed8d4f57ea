// API keys: authentication, rate limits, usage counts and operator access.
export { generateKey } from "./api-keys.ts";
export { createBearerScheme } from "./authentication.ts";
export { type Caller, callerOf } from "./caller.ts";
export { createIdentify } from "./key-lookup.ts";
export { createFailureLimiter, type KeyCounter, limitKeyRate, openKeyCounter } from "./key-rate-limits.ts";
export { type KeyActivity, KeyUsage, trackKeyUsage } from "./key-usage.ts";
export { createClientMatcher, requireOperator } from "./operator-access.ts";
export { serveCounter } from "./primary-counter.ts";
export { type RateLimit, TokenBuckets } from "./token-bucket.ts";
