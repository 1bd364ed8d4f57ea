// Loaded with --import: prints the packages that a process has loaded, when it ends.
import { registerHooks } from "node:module";

const packages = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
process.on("exit", () => console.log(`packages: ${[...packages].join(" ")}`));
