// A harness for the lifecycles of records: create, get, list, change, delete, over HTTP. It shares no code with the server.
export { RawDocument } from "./document.ts";
export { findLifecycles, type Lifecycle } from "./find-lifecycles.ts";
export { describeResults, type LifecycleResult, runLifecycles } from "./run-lifecycles.ts";
