// Publishes the document: as Swagger UI, JSON and YAML, and in the API catalog, which links to them.
import type { FastifyPluginAsync } from "fastify";
import type { Config } from "../config.ts";
import { toJson } from "../lib/index.ts";
import { type Document, type PublicUrls, servePublicFile, serviceLinks, swaggerPages } from "../openapi/application.ts";

export interface CatalogOptions {
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
export const catalog: FastifyPluginAsync<CatalogOptions> = async (app, { document, urls, config, isSecure }) => {
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
  servePublicFile(app, { path: "/openapi.json", content: json });
  const yaml = () => toYaml(document.text as string, servers);
  servePublicFile(app, { path: "/openapi.yaml", type: "application/yaml; charset=utf-8", content: yaml });
  servePublicFile(app, {
    path: catalogPath,
    type: catalogType,
    content: JSON.stringify(createCatalog(urls), null, 2),
    headers: { link: `<${root}${catalogPath}>; rel="api-catalog"` },
  });
  app.get("/", async (_, reply) => reply.header("link", serviceLinks(root)).redirect(hasPrefix ? "docs" : "/docs"));

  // Swagger UI calls this service, unless the user selects another server.
  const content = { ...document.content, servers: [thisService, ...configured] };
  await app.register(swaggerPages, { content, isSecure });
};

// The text of the document, with its comments and with other servers.
async function toYaml(text: string, servers: readonly object[]): Promise<string> {
  const { parseDocument } = await import("yaml"); // for the first request: it takes 30 ms
  const yaml = parseDocument(text);
  yaml.set("servers", servers);
  return yaml.toString();
}

const catalogPath = "/.well-known/api-catalog";
const catalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

// The API catalog (RFC 9727, section 4; RFC 9264): one API, with its description, documentation and health.
function createCatalog({ base, root }: PublicUrls): object {
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
