// Serves the document as Swagger UI, JSON and YAML, and the API catalog that links to them.
import type { FastifyPluginAsync } from "fastify";
import { parseDocument as parseYaml } from "yaml";
import type { Config } from "../config.ts";
import { type StaticFile, serveFile } from "../http/index.ts";
import { toJson } from "../lib/index.ts";
import { type Document, type PublicUrls, serviceLinks, swaggerPages } from "../openapi/index.ts";

/** The options of the plugin `docs`. */
export interface DocsOptions {
  readonly document: Document;
  readonly urls: PublicUrls;
  readonly config: Pick<Config, "BASE_URL" | "STAGING_BASE_URL">;
  /** Whether clients use TLS. */
  readonly isSecure: boolean;
}

/**
 * Serves /docs, /openapi.json, /openapi.yaml and /.well-known/api-catalog without a credential, and redirects / to
 * /docs.
 */
export const docs: FastifyPluginAsync<DocsOptions> = async (app, { document, urls, config, isSecure }) => {
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
  const publish = (path: string, type: string, content: StaticFile["content"], headers = {}) =>
    serveFile(app, { path, type, content, headers: { ...publicHeaders, ...headers } });
  publish("/openapi.json", "application/json", json);
  const yaml = () => toYaml(document.text as string, servers);
  publish("/openapi.yaml", "application/yaml; charset=utf-8", yaml);
  const link = `<${root}${catalogPath}>; rel="api-catalog"`;
  publish(catalogPath, catalogType, JSON.stringify(catalog(urls), null, 2), { link });
  app.get("/", async (_, reply) => reply.header("link", serviceLinks(root)).redirect(hasPrefix ? "docs" : "/docs"));

  // Swagger UI calls this service, unless the user selects another server.
  const content = { ...document.content, servers: [thisService, ...configured] };
  await app.register(swaggerPages, { content, isSecure });
};

// The text of the document, with its comments and with other servers.
function toYaml(text: string, servers: readonly object[]): string {
  const yaml = parseYaml(text);
  yaml.set("servers", servers);
  return yaml.toString();
}

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
