// Runs the tests of the interface again, with Prism between them and the service.
import t from "tap";
import { root } from "../support/files.ts";

const args = ["--import", "./test/support/default-prism.ts", "test/interface.test.ts"];
t.setTimeout(240_000); // milliseconds
await t.spawn(process.execPath, args, { cwd: root, timeout: 240_000 }, "test/interface.test.ts through Prism");
