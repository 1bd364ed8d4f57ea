// The document as the service hands it out: Swagger UI for people, JSON and YAML for programs.
import { createHash } from "node:crypto";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { parseDocument } from "yaml";
import type { Document } from "./document.ts";

/** The addresses that the service is known by; an empty one is none. */
export interface Addresses {
  readonly production: string;
  readonly staging: string;
}

/** The address under which clients know the service, with its version segment. */
export function baseAddress(document: Document, { production }: Addresses): string {
  return production || document.basePath;
}

/** Adds /docs, /openapi.json and /openapi.yaml. None needs a credential. */
export async function addDocs(app: FastifyInstance, document: Document, addresses: Addresses): Promise<void> {
  const served = parseDocument(document.text);
  const servers = [
    { url: baseAddress(document, addresses), description: addresses.production ? "Production" : "This service" },
  ];
  if (addresses.staging) servers.push({ url: addresses.staging, description: "Staging" });
  served.set("servers", servers);

  addFile(app, "/openapi.json", "application/json; charset=utf-8", JSON.stringify(served.toJS(), null, 2));
  addFile(app, "/openapi.yaml", "application/yaml; charset=utf-8", served.toString());

  await app.register(swagger, { mode: "static", specification: { document: served.toJS() } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    theme: { title: `${document.content.info.title} API`, js: [{ filename: "exact.js", content: exactNumbers }] },
    // showExtensions: x-stability, x-sunset and x-successor stand beside their operation.
    uiConfig: { layout: "BaseLayout", deepLinking: true, showExtensions: true },
  });
}

// Swagger UI parses an answer to lay it out, and would show a rounded int64. In its page, JSON.parse
// keeps such a number as its text, which JSON.stringify writes again.
const exactNumbers = `
const parse = JSON.parse;
const exact = (key, value, { source } = {}) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value;
JSON.parse = (text, reviver) => parse(text, reviver ?? exact);
`;

function addFile(app: FastifyInstance, path: string, type: string, text: string): void {
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  app.get(path, async (request, reply) => {
    // Anyone may read it from any page; it holds no secret and needs no credential.
    reply.headers({
      etag,
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": "no-cache",
    });
    const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (known?.includes(etag) || known?.includes("*")) return reply.code(304).send();
    return reply.type(type).send(text);
  });
}
