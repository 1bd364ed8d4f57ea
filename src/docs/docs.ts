// Serves the document as Swagger UI, JSON and YAML, and the API catalog that links to them.
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import swagger, { type StaticDocumentSpec } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { parseDocument as parseYaml } from "yaml";
import type { Config } from "../config.ts";
import { notFound, serveFile, serviceLinks } from "../http/index.ts";
import { toJson } from "../lib/index.ts";
import type { Document, PublicUrls } from "../openapi/index.ts";
import { badges, preserveLargeIntegers } from "./swagger-ui-plugins.js";

/** The options of the plugin `docs`. */
export interface DocsOptions {
  readonly document: Document;
  readonly urls: PublicUrls;
  readonly config: Pick<Config, "BASE_URL" | "STAGING_BASE_URL">;
  /** The headers of Swagger UI. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves /docs, /openapi.json, /openapi.yaml and /.well-known/api-catalog without a credential, and redirects / to
 * /docs.
 */
export const docs: FastifyPluginAsync<DocsOptions> = async (app, { document, urls, config, headers }) => {
  const { root } = urls;
  // Relative to /docs, so that it works directly and behind a gateway that adds a path prefix.
  const hasPrefix = new URL(`${root}/`, "http://localhost").pathname !== "/";
  const thisService = { url: `${hasPrefix ? ".." : ""}${document.basePath}`, description: "This service" };
  const configured = [
    { url: config.BASE_URL, description: "Production" },
    { url: config.STAGING_BASE_URL, description: "Staging" },
  ].filter(({ url }) => url !== "");

  const servers = config.BASE_URL ? configured : [thisService, ...configured];
  const json = toJson({ ...document.content, servers }, 2);
  serveFile(app, "/openapi.json", "application/json; charset=utf-8", json, publicHeaders);
  const yaml = () => toYaml(document.text as string, servers);
  serveFile(app, "/openapi.yaml", "application/yaml; charset=utf-8", yaml, publicHeaders);
  const catalogHeaders = { ...publicHeaders, link: `<${root}${catalogPath}>; rel="api-catalog"` };
  serveFile(app, catalogPath, catalogType, JSON.stringify(catalog(urls), null, 2), catalogHeaders);
  app.get("/", async (_, reply) => reply.header("link", serviceLinks(root)).redirect(hasPrefix ? "docs" : "/docs"));

  // Swagger UI calls this service, unless the user selects another server.
  const content = { ...document.content, servers: [thisService, ...configured] };
  await app.register(swaggerPages, { content, headers });
};

// The text of the document, with its comments and with other servers.
function toYaml(text: string, servers: readonly object[]): string {
  const yaml = parseYaml(text);
  yaml.set("servers", servers);
  return yaml.toString();
}

interface SwaggerOptions {
  readonly content: Document["content"];
  readonly headers: Readonly<Record<string, string>>;
}

// Encapsulated, so that its headers apply only to /docs.
const swaggerPages: FastifyPluginAsync<SwaggerOptions> = async (app, { content, headers }) => {
  app.addHook("onRequest", ({ routeOptions }, reply, done) => {
    reply.headers(headers);
    // Swagger UI's own route for files, of which `serveAssets` serves all.
    done(routeOptions.url?.endsWith("*") ? notFound() : undefined);
  });
  serveAssets(app);
  const specification = { document: content as unknown as StaticDocumentSpec["document"] };
  await app.register(swagger, { mode: "static", specification });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    theme: {
      title: `${content.info.title} API`,
      css: [{ filename: "badges.css", content: badgeStyle }],
      js: [{ filename: "numbers.js", content: `(${preserveLargeIntegers})();` }],
    },
    uiConfig: {
      layout: "BaseLayout",
      deepLinking: true,
      plugins: [badges],
    },
  });
};

const badgeStyle = `
.badge { border: 1px solid; border-radius: 4px; font: 600 12px sans-serif; margin-left: 8px; padding: 2px 6px; white-space: nowrap; }
.badge-stability { background: #fff3cd; color: #664d03; }
.badge-sunset { background: #f8d7da; color: #842029; }
.badge-successor { background: #d1e7dd; color: #0f5132; }
`;

const catalogPath = "/.well-known/api-catalog";
const catalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

// The API catalog (RFC 9727, section 4; RFC 9264): one API, with its description, documentation and health.
function catalog({ base, root }: PublicUrls): object {
  return {
    linkset: [
      { anchor: `${root}${catalogPath}`, item: [{ href: base }] },
      {
        anchor: base,
        "service-desc": [
          { href: `${root}/openapi.json`, type: "application/json" },
          { href: `${root}/openapi.yaml`, type: "application/yaml" },
        ],
        "service-doc": [{ href: `${root}/docs`, type: "text/html" }],
        status: [{ href: `${root}/readyz`, type: "application/json" }],
      },
    ],
  };
}

// Pages of any origin may read the document, because it is public.
const publicHeaders = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

const mediaTypes: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

// Serves the files of Swagger UI from memory. Its own routes read them from the disk on each request, and thousands of
// concurrent downloads would delay all other requests.
function serveAssets(app: FastifyInstance): void {
  const folder = new URL("static/", import.meta.resolve("@fastify/swagger-ui"));
  for (const name of readdirSync(folder)) {
    const type = mediaTypes[extname(name)];
    if (type && name !== "index.html")
      serveFile(app, `/docs/static/${name}`, type, () => readFileSync(new URL(name, folder)));
  }
}
