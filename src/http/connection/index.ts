// Connections: their number, order, timeouts and end.
export { bodyFlow, yieldBetweenChunks } from "./body-flow.ts";
export { clientErrors, type MalformedRequest } from "./client-errors.ts";
export { backlog, connections } from "./connections.ts";
export { lingeringClose } from "./lingering-close.ts";
export { createNetworkMatcher, toNetwork } from "./networks.ts";
export { pipelining } from "./pipelining.ts";
