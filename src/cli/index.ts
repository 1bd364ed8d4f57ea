// The command line of `petstore`.
export { run } from "./cli.ts";
