// The document as the service hands it out: Swagger UI for people, JSON and YAML for programs, and
// the ways to find them.
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import swagger, { type StaticDocumentSpec } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { parseDocument } from "yaml";
import { serveFile, serviceLinks } from "../http/index.ts";
import type { Document } from "../spec/index.ts";
import { badges, keepNumbers } from "./swagger-ui-plugins.js";

/** The addresses that the service is known by; an empty one is none. */
export interface Addresses {
  readonly production: string;
  readonly staging: string;
}

/** Where clients find the service. */
export interface PublicUrls {
  /** The address of the service, with its version segment. */
  readonly base: string;
  /** What stands before /docs and /openapi.json; empty where it is the origin. */
  readonly root: string;
}

/** Where clients find the service: at the address of production, or else at the origin that they asked. */
export function toPublicUrls({ basePath }: Document, { production }: Addresses): PublicUrls {
  const base = production || basePath;
  return { base, root: base.slice(0, -basePath.length) };
}

/** Adds /docs with `headers`, /openapi.json, /openapi.yaml, /.well-known/api-catalog, and / which leads to /docs. None needs a credential. */
export async function addDocs(
  app: FastifyInstance,
  document: Document,
  addresses: Addresses,
  headers: Record<string, string>,
): Promise<void> {
  const { base, root } = toPublicUrls(document, addresses);
  const configured = [
    { url: addresses.production, description: "Production" },
    { url: addresses.staging, description: "Staging" },
  ].filter(({ url }) => url !== "");
  // Behind a gateway that adds a path, and on the port itself: seen from /docs/json it is the same.
  const prefixed = new URL(`${root}/`, "http://localhost").pathname !== "/";
  const here = { url: `${prefixed ? ".." : ""}${document.basePath}`, description: "This service" };

  const servers = addresses.production ? configured : [here, ...configured];
  const served = JSON.stringify({ ...document.content, servers }, null, 2);
  serveFile(app, "/openapi.json", "application/json; charset=utf-8", served, shared);
  const commented = parseDocument(document.text);
  commented.set("servers", servers);
  serveFile(app, "/openapi.yaml", "application/yaml; charset=utf-8", commented.toString(), shared);
  const self = { ...shared, link: `<${root}${catalogPath}>; rel="api-catalog"` };
  serveFile(app, catalogPath, catalogType, JSON.stringify(catalog({ base, root }), null, 2), self);
  app.get("/", async (_, reply) => reply.header("link", serviceLinks(root)).redirect(prefixed ? "docs" : "/docs"));

  // On the page the calls go to the service that shows it, unless another one is chosen.
  const shown: unknown = { ...document.content, servers: [here, ...configured] };
  await app.register(swagger, { mode: "static", specification: { document: shown as StaticDocumentSpec["document"] } });
  addAssets(app, headers);
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    uiHooks: { onRequest: (_, reply, done) => done(void reply.headers(headers)) },
    theme: {
      title: `${document.content.info.title} API`,
      css: [{ filename: "badges.css", content: badgeStyle }],
      js: [{ filename: "numbers.js", content: `(${keepNumbers})();` }],
    },
    uiConfig: {
      layout: "BaseLayout",
      deepLinking: true,
      persistAuthorization: true,
      plugins: [badges],
    },
  });
}

const badgeStyle = `
.badge { border: 1px solid; border-radius: 4px; font: 600 12px sans-serif; margin-left: 8px; padding: 2px 6px; white-space: nowrap; }
.badge-stability { background: #fff3cd; color: #664d03; }
.badge-sunset { background: #f8d7da; color: #842029; }
.badge-successor { background: #d1e7dd; color: #0f5132; }
`;

const catalogPath = "/.well-known/api-catalog";
const catalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

// The APIs that are here (RFC 9727, section 4, in the form of RFC 9264): one, with its description, documentation and health.
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

// Anyone may read it from any page; it holds no secret and needs no credential.
const shared = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

const assetTypes: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".png": "image/png",
};

// What the page of Swagger UI loads. Its own routes read it from the disk for each request, in pieces: thousands who
// ask for it at once would hold up all others.
function addAssets(app: FastifyInstance, headers: object): void {
  const folder = new URL("static/", import.meta.resolve("@fastify/swagger-ui"));
  for (const name of readdirSync(folder)) {
    const type = assetTypes[extname(name)];
    if (type) serveFile(app, `/docs/static/${name}`, type, readFileSync(new URL(name, folder)), headers);
  }
}
