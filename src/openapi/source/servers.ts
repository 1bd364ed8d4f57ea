// The base path of operations, from the URL of the first server.
import type { OpenApi, ServerObject } from "./document-types.ts";

const maxUrls = 100; // of a server

/** Returns the URL of the first server, with the default values of its variables, or "" without servers. */
export function readServerUrl({ servers }: Pick<OpenApi, "servers">): string {
  return servers?.[0] === undefined ? "" : toUrl(servers[0]);
}

/** Returns the path of the first server's URL, such as `/v1`. Empty if it has none. */
export function readBasePath({ servers }: Pick<OpenApi, "servers">): string {
  const url = readServerUrl({ servers: servers ?? [] });
  // A relative URL is relative to the document, which is served at the root.
  const path = URL.canParse(url, "http://localhost/") ? new URL(url, "http://localhost/").pathname : "";
  return path.replace(/(?<!\/)\/+$/, "");
}

/** Returns the paths of all servers, with each value that their variables can have. */
export function listBasePaths({ servers = [] }: Pick<OpenApi, "servers">): Set<string> {
  const paths = servers.flatMap((server) => expandVariables(server).map((one) => readBasePath({ servers: [one] })));
  return new Set(paths);
}

function expandVariables(server: ServerObject): ServerObject[] {
  let expanded = [server];
  for (const [name, { enum: values }] of Object.entries(server.variables ?? {}))
    if (Array.isArray(values) && expanded.length < maxUrls)
      expanded = expanded.flatMap((one) =>
        values.map((value) => ({ ...one, variables: { ...one.variables, [name]: { default: value } } })),
      );
  return expanded;
}

function toUrl({ url, variables }: ServerObject): string {
  return url.replace(/\{([^{}]*)\}/g, (_, name) => variables?.[name]?.default ?? "");
}
