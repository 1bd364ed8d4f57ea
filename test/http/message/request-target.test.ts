// Request targets: absolute form, fragments, and escapes that are not UTF-8.
import t from "tap";
import { normalizeTarget } from "../../../src/http/message/request-target.ts";

t.test("Leaves the path and query of an ordinary target unchanged", async (t) => {
  for (const target of ["/", "/a/b?c=d", "/a%20b", "/%E2%82%AC?q=%zz", "//a"]) t.equal(normalizeTarget(target), target);
});

t.test("Normalizes unusual targets to paths that the router can decode", async (t) => {
  for (const [target, path] of [
    ["http://host:80/a?b", "/a?b"],
    ["HTTPS://host", "/"],
    ["http://host?b", "/?b"],
    ["*", "/*"],
    ["", "/"],
    ["/a#b", "/a%23b"],
    ["/%zz?q=%zz", "/%25zz?q=%zz"],
    ["/%ff?a?b", "/%25ff?a?b"],
  ] as const)
    t.equal(normalizeTarget(target), path, target);
});
