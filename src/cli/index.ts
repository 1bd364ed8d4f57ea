// The command line of `petstore`.
export { run } from "./cli.ts";
export { processIo } from "./io.ts";
