// Protection against hostile clients and pages: Content-Security-Policy, no outbound requests.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { root } from "../../support/files.ts";
import { start } from "../../support/service.ts";

t.test("The pages of /docs run only scripts of the service itself", async (t) => {
  const { call } = await start(t);
  const page = await call("GET", "/docs", { key: null });
  const policy = Object.fromEntries(
    (page.headers["content-security-policy"] ?? "").split(";").map((rule) => [rule.trim().split(" ")[0], rule]),
  );
  t.equal(policy["script-src"]?.trim(), "script-src 'self'");
  t.equal(policy["script-src-attr"]?.trim(), "script-src-attr 'none'");
  t.equal(policy["style-src"]?.trim(), "style-src 'self' 'unsafe-inline'");
  t.equal(policy["object-src"]?.trim(), "object-src 'none'");
  t.notMatch(page.text, /<script(?![^>]* src=)/, "the page has no inline script");
});

t.test("Only the database driver and the check of an issuer's tokens open outbound connections", async (t) => {
  const src = join(root, "src");
  const names = readdirSync(src, { recursive: true, encoding: "utf8" });
  // The server does not run clients. The proxy sends requests to its upstream alone, and the check to its issuer.
  const clients = /^(command\/documents\/proxy-upstream\.ts|openapi\/client\/.*|openapi\/routing\/issuer-keys\.ts)$/;
  const files = names.filter((name) => /\.ts$/.test(name) && !clients.test(name));
  const calls =
    /\b(fetch|WebSocket|EventSource)\(|\{[^}]*\b(request|get|connect|createConnection|Client)\b[^}]*\} from "(node:)?(http|https|http2|net|tls|dgram|undici)"/;
  t.match('import { connect } from "node:net";', calls);
  for (const name of files) t.notMatch(readFileSync(join(src, name), "utf8"), calls, name);
});
