// The Pet Store as a service.
export { petStore } from "./preset.ts";
