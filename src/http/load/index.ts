// Load and memory: who is served next, who is rejected, and the shutdown.
export { collectGarbageWhenIdle } from "./garbage-collection.ts";
export { defaultGracePeriod, type GracefulShutdownOptions, gracefulShutdown } from "./graceful-shutdown.ts";
export { type IdentifyClient, loadShedding } from "./load-shedding.ts";
export { type MemoryMonitorOptions, memoryMonitor } from "./memory-monitor.ts";
