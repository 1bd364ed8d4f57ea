// Swagger UI: the pages that show the document and send requests.
import { readdirSync, readFileSync } from "node:fs";
import type { StaticDocumentSpec } from "@fastify/swagger";
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { createSecurityHeaders, serveFile } from "../../http/index.ts";
import { toJson } from "../../lib/index.ts";
import type { Document } from "../document/document.ts";
import { adaptToDevice, badges, foldedParts, preserveLargeIntegers, quickStart } from "./swagger-ui-plugins.js";

export interface SwaggerOptions {
  readonly content: Document["content"];
  /** Whether clients use TLS. */
  readonly isSecure: boolean;
}

// Fastify declares the first form only.
interface RouterConfig {
  readonly ignoreTrailingSlash?: boolean;
  readonly routerOptions?: { readonly ignoreTrailingSlash?: boolean };
}

/** Serves Swagger UI at /docs. Encapsulated, so that its headers apply only to /docs. */
export const swaggerPages: FastifyPluginAsync<SwaggerOptions> = async (app, { content, isSecure }) => {
  const headers = createPageHeaders(content, isSecure);
  app.addHook("onRequest", async (_, reply) => void reply.headers(headers));
  serveAssets(app);
  let pages: Promise<FastifyInstance> | undefined;
  const read = async (path: string) => {
    pages ??= createPages(content, app.prefix);
    pages.catch(() => {
      pages = undefined; // so that the next request tries again
    });
    const { statusCode, rawPayload } = await (await pages).inject(path);
    if (statusCode !== 200) throw new Error(`The page ${path} has the status ${statusCode}.`);
    return rawPayload;
  };
  const { ignoreTrailingSlash, routerOptions } = app.initialConfig as RouterConfig;
  const isSlashIgnored = ignoreTrailingSlash || routerOptions?.ignoreTrailingSlash; // then /docs/ is /docs
  for (const [path, type] of Object.entries(pageTypes))
    if (path !== "/" || !isSlashIgnored)
      serveFile(app, { path: `/docs${path}`, type, content: () => read(`/docs${path}`) });
};

const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";

/** The paths of @fastify/swagger-ui, below its prefix, that depend on the document, with their media types. */
const pageTypes: Readonly<Record<string, string>> = {
  "": html,
  "/": html,
  "/json": "application/json; charset=utf-8",
  "/yaml": "application/x-yaml",
  "/static/swagger-initializer.js": script,
  "/static/theme/page.css": "text/css; charset=utf-8",
  "/static/theme/numbers.js": script,
  "/static/theme/device.js": script,
};

// An app of its own, which is created for the first request: most processes never show the pages, and its modules take 50 ms.
async function createPages(content: Document["content"], prefix: string): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import("@fastify/swagger"),
    import("@fastify/swagger-ui"),
  ]);
  const app = Fastify();
  app.setReplySerializer((payload) => toJson(payload)); // with exact integers
  const specification = { document: content as unknown as StaticDocumentSpec["document"] };
  await app.register(swagger, { mode: "static", specification });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    indexPrefix: prefix,
    theme: {
      title: escapeHtml(`${content.info?.title ?? ""} API`), // @fastify/swagger-ui writes it into the page as it is
      css: [{ filename: "page.css", content: style }],
      js: [
        { filename: "numbers.js", content: `(${preserveLargeIntegers})();` },
        { filename: "device.js", content: `(${adaptToDevice})();` },
      ],
    },
    uiConfig: {
      layout: "BaseLayout",
      deepLinking: true,
      plugins: [badges, foldedParts, quickStart],
    },
  });
  return app;
}

// Swagger UI calls the servers of the document, and gets tokens from the URLs of its security schemes.
function createPageHeaders(
  { servers = [], components }: Document["content"],
  isSecure: boolean,
): Record<string, string> {
  // A document with errors can have anything in their place.
  const schemes = Object.values(components?.securitySchemes ?? {}).map((scheme) => Object(scheme) as typeof scheme);
  const flows = schemes.flatMap(({ flows }) => Object.values(flows ?? {}));
  const urls = [
    ...[servers].flat().map((server) => server?.url),
    ...flows.flatMap((flow) => [flow?.tokenUrl, flow?.refreshUrl]),
    ...schemes.map(({ openIdConnectUrl }) => openIdConnectUrl),
  ];
  const origins = urls.flatMap((url = "") => (URL.canParse(url) ? [new URL(url).origin] : []));
  return createSecurityHeaders(isSecure, {
    contentSecurityPolicy: {
      directives: {
        upgradeInsecureRequests: null, // over plain HTTP, upgraded requests would fail and leave the page blank
        connectSrc: ["'self'", ...new Set(origins)],
        styleSrc: ["'self'", "'unsafe-inline'"], // Swagger UI sets style attributes
      },
    },
  });
}

const style = `
.badge { border: 1px solid; border-radius: 4px; font: 600 12px sans-serif; margin-left: 8px; padding: 2px 6px; white-space: nowrap; }
.badge-stability { background: #fff3cd; color: #664d03; }
.badge-sunset { background: #f8d7da; color: #842029; }
.badge-successor, .badge-records, .badge-handler { background: #d1e7dd; color: #0f5132; }
.badge-nothing { background: #e2e3e5; color: #41464b; }
html.dark-mode body { background: #1c2022; }
.swagger-ui .info { margin: 24px 0 12px; }
.swagger-ui .scheme-container { margin: 0 0 12px; padding: 12px 0; }
.swagger-ui .opblock-description blockquote { border-left: 3px solid #8888; margin: 0; padding-left: 10px; }
.folded > summary { cursor: pointer; font: 14px sans-serif; overflow-wrap: anywhere; }
.folded-description { margin-bottom: 12px; }
.folded > summary .renderedMarkdown, .folded > summary .renderedMarkdown p { display: inline; margin: 0 6px 0 0; }
.folded-failure > summary > code, .quick-start code { font: 600 12px monospace; }
.folded-failure > summary > code { background: #8883; border-radius: 4px; display: inline-block; margin-right: 6px; padding: 2px 5px; }
.swagger-ui .folded-response > td { padding-top: 10px; vertical-align: top; }
.swagger-ui .folded-failure .responses-table > tbody > tr > td:first-of-type { display: none; }
.quick-start h2 { font: 600 18px sans-serif; margin: 12px 0 4px; }
.quick-start p { font: 14px sans-serif; margin: 4px 0; }
.quick-start [role="tab"] { background: none; border: 0; border-bottom: 2px solid transparent; color: inherit; cursor: pointer; font: 600 13px sans-serif; padding: 6px 10px; }
.quick-start [aria-selected="true"] { border-color: #49cc90; }
.quick-start pre { background: #333; border-radius: 4px; color: #fff; margin: 0 0 12px; overflow: auto; padding: 10px; }
html.dark-mode .swagger-ui .examples-select__section-label { color: inherit; }
html.dark-mode .folded, html.dark-mode .quick-start { color: #e4e6e6; }
@media (max-width: 640px) {
  .swagger-ui .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 4px 10px; }
  .swagger-ui table { table-layout: fixed; }
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .parameters-col_name { width: 35%; }
  .swagger-ui .parameter__name { overflow-wrap: anywhere; }
  .swagger-ui .response-col_status { width: 4em; }
}
`;

// Serves the files of Swagger UI from memory. Its own routes read them from the disk on each request, and thousands of
// concurrent downloads would delay all other requests.
function serveAssets(app: FastifyInstance): void {
  const folder = new URL("static/", import.meta.resolve("@fastify/swagger-ui"));
  for (const name of readdirSync(folder)) {
    if (/\.(css|html|js|png|svg)$/.test(name) && name !== "index.html" && !(`/static/${name}` in pageTypes))
      serveFile(app, { path: `/docs/static/${name}`, content: () => readFileSync(new URL(name, folder)) });
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
