// Serves the status page and its scripts and styles. The page holds no data: its script requests /status.json with the
// key that the operator enters.
import { readFileSync } from "node:fs";
import type { FastifyPluginAsync } from "fastify";
import { createSecurityHeaders, serveFile } from "../http/index.ts";

const scripts = ["page.js", "summary.js", "chart-data.js", "chart-view.js", "format.js", "language.js"];
const ownFiles = [...scripts, "page.css", "icon.svg"].map((name) => `./web/${name}`);
const uPlotFiles = ["uPlot.iife.min.js", "uPlot.min.css"].map((name) => `uplot/dist/${name}`);

const self = ["'self'"];
const none = ["'none'"];

// The page handles an operator's key. It may load only files of this service, submit no forms, and create no HTML from
// strings.
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: none,
    scriptSrc: self,
    styleSrc: self,
    imgSrc: self,
    connectSrc: self,
    baseUri: none,
    formAction: none,
    frameAncestors: none,
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: none,
  },
};

/** Serves /status and the files that it loads. None needs a credential. `isSecure` says whether clients use TLS. */
export const statusPage: FastifyPluginAsync<{ readonly isSecure: boolean }> = async (app, { isSecure }) => {
  const headers = createSecurityHeaders(isSecure, { contentSecurityPolicy, xFrameOptions: { action: "deny" } });
  app.addHook("onRequest", (_, reply, done) => done(void reply.headers(headers)));
  const serve = (path: string, source: string) => {
    const content = readFileSync(new URL(import.meta.resolve(source)));
    serveFile(app, { path, content, ...(path === "/status" && { type: "text/html; charset=utf-8" }) });
  };
  serve("/status", "./web/index.html");
  for (const source of [...ownFiles, ...uPlotFiles])
    serve(`/status/${source.slice(source.lastIndexOf("/") + 1)}`, source);
};
