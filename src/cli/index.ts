export { processIo, reportError } from "./io.ts";
