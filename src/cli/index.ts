export { run } from "./cli.ts";
export { processIo } from "./io.ts";
