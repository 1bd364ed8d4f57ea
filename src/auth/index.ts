export { type Authenticate, callerDecorator, createAuthentication, generateKey } from "./authentication.ts";
export { type KeyUsage, trackKeyUsage } from "./key-usage.ts";
export { createNetworkMatcher, requireOperator } from "./operator-access.ts";
