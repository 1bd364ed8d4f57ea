// Publishes the document: as Swagger UI, JSON and YAML, and in the API catalog, which links to them.
import type { FastifyInstance } from "fastify";
import { toJson } from "../lib/index.ts";
import {
  type Document,
  type OpenApi,
  type PublicUrls,
  readBasePath,
  servePublicFile,
  serviceLinks,
  swaggerPages,
} from "../openapi/index.ts";
import { describeAction, describeDoubts, type PlannedOperation, type ResourceHandlers } from "../resources/index.ts";

export interface DocsOptions {
  /** The public URL of the API. Undefined for a document that keeps its servers. */
  readonly publicUrl?: string | undefined;
  readonly stagingUrl?: string | undefined;
  readonly urls: PublicUrls;
  readonly resources: ResourceHandlers | undefined;
  /** The operationIds that handlers of the application answer. */
  readonly own: readonly string[];
  /** Whether clients use TLS. */
  readonly isSecure: boolean;
  /** Returns whether no operation has a path. */
  readonly isFree: (path: string) => boolean;
}

/**
 * Serves /docs, /openapi.json, /openapi.yaml and /.well-known/api-catalog without a credential, and redirects / to
 * /docs.
 */
export async function serveDocs(app: FastifyInstance, document: Document, options: DocsOptions): Promise<void> {
  const { publicUrl, stagingUrl, urls, resources, own, isSecure, isFree } = options;
  const { root } = urls;
  // Relative to /docs, so that it works directly and behind a gateway that adds a path prefix.
  const hasPrefix = new URL(`${root}/`, "http://localhost").pathname !== "/";
  const thisService = { url: (hasPrefix ? ".." : "") + document.basePath || "/", description: "This service" };
  const configured = [
    { url: publicUrl, description: "Production" },
    { url: stagingUrl, description: "Staging" },
  ].filter(({ url }) => url);
  const servers = publicUrl ? configured : [thisService, ...configured];
  const { json, content } = document;
  const toText = () => (publicUrl === undefined ? (json ?? toJson(content)) : toJson({ ...content, servers }, 2));
  servePublicFile(app, { path: "/openapi.json", content: toText });
  if (isFree("/openapi.yaml")) {
    const yaml = () => toYaml(document, publicUrl === undefined ? undefined : servers);
    servePublicFile(app, { path: "/openapi.yaml", type: "application/yaml; charset=utf-8", content: yaml });
  }
  if (isFree(catalogPath))
    servePublicFile(app, {
      path: catalogPath,
      type: catalogType,
      content: JSON.stringify(createCatalog(urls), null, 2),
      headers: { link: `<${root}${catalogPath}>; rel="api-catalog"` },
    });
  if (isFree("/"))
    app.get("/", async (_, reply) => reply.header("link", serviceLinks(root)).redirect(hasPrefix ? "docs" : "/docs"));

  // Swagger UI calls this service, unless the user selects another server.
  const shown = withOwnServers(withAnswers(document, resources, own), [thisService, ...configured]);
  await app.register(swaggerPages, { content: shown, isSecure });
}

/** Serves /docs and /openapi.json in a part of an app that has a document of its own. */
export async function serveDocsOfPlugin(
  app: FastifyInstance,
  document: Document,
  { resources, own, isSecure }: Pick<DocsOptions, "resources" | "own" | "isSecure">,
): Promise<void> {
  servePublicFile(app, { path: "/openapi.json", content: () => document.json ?? toJson(document.content) });
  const url = app.prefix + document.basePath || "/";
  await app.register(swaggerPages, {
    content: withOwnServers(withAnswers(document, resources, own), [{ url }], app.prefix),
    isSecure,
  });
}

// The text of the document, with its comments and with other servers. That of several files refers to them.
async function toYaml({ text, content }: Document, servers: readonly object[] | undefined): Promise<string> {
  const { parseDocument, stringify } = await import("yaml"); // for the first request: it takes 30 ms
  const isWhole = text !== undefined && !/\$ref["']?\s*:\s*["']?[^#"'\s]|externalValue/.test(text);
  if (!isWhole) return stringify({ ...content, ...(servers && { servers }) });
  if (servers === undefined) return text;
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

// Notes in each operation what it does with records, or why it needs a handler.
function withAnswers(
  { content, operations }: Document,
  resources: ResourceHandlers | undefined,
  own: readonly string[],
) {
  const plan = resources?.plan;
  if (plan === undefined || operations.every(({ id }) => own.includes(id))) return content;
  const paths: Record<string, object> = { ...content.paths };
  for (const planned of plan.operations) {
    const { id, method, path, does } = planned;
    const key = method.toLowerCase();
    const item = paths[path] as Readonly<Record<string, { readonly description?: string }>> | undefined;
    const operation = item?.[key];
    if (operation === undefined) continue; // behind a reference
    const [answer, note] = own.includes(id) ? ["handler", ""] : [does ? "records" : "nothing", describeAnswer(planned)];
    const description = `${operation.description ?? ""}\n\n${note}`.trim();
    paths[path] = { ...item, [key]: { ...operation, description, "x-answered-from": answer } };
  }
  return { ...content, paths } as OpenApi;
}

// A block quote in Markdown, in which names have no markup.
function describeAnswer({ does, not }: PlannedOperation): string {
  const lines = does
    ? [`${describeAction(does, ` of ${does.collection}`)}.`, ...describeDoubts(does)]
    : [`needs a handler: it ${not}.`];
  const text = lines.map((line) => line.replaceAll(/[\\`*_[\]<>&#~]/g, "\\$&")).join("  \n> ");
  return `> ${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

// The servers of paths and operations are this one, too.
function withOwnServers(content: OpenApi, servers: readonly object[], prefix = ""): OpenApi {
  const toOwn = (part: unknown) => ({ servers: [{ url: prefix + readBasePath(part as OpenApi) || "/" }] });
  const paths = Object.entries(content.paths ?? {}).map(([path, item]) => {
    if (typeof item !== "object" || item === null) return [path, item];
    const members = Object.entries(item).map(([name, member]) => {
      const hasServers = typeof member === "object" && member !== null && "servers" in member;
      return [name, hasServers ? { ...member, ...toOwn(member) } : member];
    });
    return [path, { ...Object.fromEntries(members), ...("servers" in item && toOwn(item)) }];
  });
  return { ...content, servers, ...(content.paths && { paths: Object.fromEntries(paths) }) } as OpenApi;
}
