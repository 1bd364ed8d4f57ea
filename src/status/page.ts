// The page at /status: what it loads. It holds no figures; its script asks for them with the key that somebody enters.
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { FastifyInstance } from "fastify";
import { serveFile } from "../http/index.ts";

const own = ["page.css", "page.js", "charts.js", "words.js", "icon.svg"].map((name) => `./status/${name}`);
const plots = ["uPlot.iife.min.js", "uPlot.min.css"].map((name) => `uplot/dist/${name}`);

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Adds /status, and below it what the page loads, with `headers`. None needs a credential. */
export function addStatusPage(app: FastifyInstance, headers: object): void {
  const add = (path: string, source: string) => {
    const bytes = readFileSync(new URL(import.meta.resolve(source)));
    serveFile(app, path, types[extname(source)] as string, bytes, headers);
  };
  add("/status", "./status/index.html");
  for (const source of [...own, ...plots]) add(`/status/${source.slice(source.lastIndexOf("/") + 1)}`, source);
}
