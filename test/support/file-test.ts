// What a test file imports as "tap" if it shares a process with others: see import-tests.ts.
import { currentFile } from "./import-tests.ts";

export default currentFile();
