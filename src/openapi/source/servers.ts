// The base path of operations, from the URL of the first server.
import type { OpenApi, ServerObject } from "./document-types.ts";

const maxUrls = 100; // of a server, with different paths

/** Returns the URL of the first server, with the default values of its variables, or "" without servers. */
export function readServerUrl({ servers }: Pick<OpenApi, "servers">): string {
  return servers?.[0] === undefined ? "" : toUrl(servers[0]);
}

/** Returns the path of the first server's URL, such as `/v1`. Empty if it has none. */
export function readBasePath({ servers }: Pick<OpenApi, "servers">): string {
  const url = readServerUrl({ servers: servers ?? [] });
  // A relative URL is relative to the document, which is served at the root.
  const path = URL.canParse(url, "http://localhost/") ? new URL(url, "http://localhost/").pathname : "";
  // A variable of a server can begin with a slash, which gives two. At the beginning of a reference, they would precede a host.
  return path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
}

/** Returns the paths of all servers, with each value that their variables can have. */
export function listBasePaths({ servers = [] }: Pick<OpenApi, "servers">): Set<string> {
  const paths = [servers]
    .flat()
    .flatMap((server) => expandVariables(server).map((one) => readBasePath({ servers: [one] })));
  return new Set(paths);
}

function expandVariables(server: ServerObject): ServerObject[] {
  const { variables } = Object(server) as ServerObject;
  let expanded = [server];
  for (const [name, variable] of Object.entries(variables ?? {})) {
    const { enum: values } = Object(variable) as Partial<typeof variable>;
    if (!Array.isArray(values) || expanded.length * values.length > maxUrls) continue;
    const expand = (one: ServerObject) =>
      values.map((value) => ({ ...one, variables: { ...one.variables, [name]: { default: value } } }));
    const isInPath = new Set(expand(server).map((one) => readBasePath({ servers: [one] }))).size > 1;
    if (isInPath) expanded = expanded.flatMap(expand);
  }
  return expanded;
}

// A document with errors can have anything in its place.
function toUrl(server: ServerObject): string {
  const { url, variables } = Object(server) as Partial<ServerObject>;
  return `${url ?? ""}`.replace(/\{([^{}]*)\}/g, (_, name) => variables?.[name]?.default ?? "");
}
