// The page at /records: the records of a server, to look at and to change.
import type { FastifyInstance } from "fastify";
import { createSecurityHeaders, serveFile } from "../http/index.ts";
import type { Document } from "../openapi/index.ts";
import type { Plan } from "../resources/index.ts";
import type { RecordsPageOptions } from "./page.ts";

const names = [
  ...["plan.json", "style.css", "preact.js", "hooks.js", "main.js", "api.js", "json.js", "schema.js", "list.js"],
  ...["record.js", "form.js", "fields.js", "transfer.js", "csv.js", "widgets.js"],
];

/** Returns whether a server has the page: there are collections, and no operation of the document has its path. */
export function hasRecordsPage({ operations }: Document, { collections }: Plan): boolean {
  return collections.length > 0 && !operations.some(({ template }) => /^\/records(\/|$)/.test(template.routerPath));
}

/**
 * Serves the page, unless the document or the application has its path. Its code is loaded for the first request: most processes never show
 * it.
 */
export async function serveRecordsPage(
  app: FastifyInstance,
  options: RecordsPageOptions & { readonly isSecure: boolean },
): Promise<void> {
  const { document, plan, isSecure } = options;
  if (!hasRecordsPage(document, plan) || app.hasRoute({ method: "GET", url: "/records" })) return;
  const headers = createSecurityHeaders(isSecure, { contentSecurityPolicy: { useDefaults: false, directives } });
  await app.register(async (scope) => {
    scope.addHook("onRequest", async (_, reply) => void reply.headers(headers));
    const read = async (name: string) => (await import("./page.ts")).readPage(name, options);
    serveFile(scope, { path: "/records", type: "text/html; charset=utf-8", content: () => read("index.html") });
    for (const name of names) serveFile(scope, { path: `/records/${name}`, content: () => read(name) });
  });
}

const self = ["'self'"];
const none = ["'none'"];

// Trusted types that do not exist make each write of HTML an error.
const directives = {
  ...{ defaultSrc: none, baseUri: none, formAction: none, frameAncestors: none, trustedTypes: none },
  ...{ scriptSrc: self, styleSrc: self, connectSrc: self, imgSrc: ["data:"], requireTrustedTypesFor: ["'script'"] },
};
