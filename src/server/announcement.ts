// What a service says to its operator when it listens.
import { type Document, isBearer, type Operation, type SecuritySchemeObject } from "../openapi/index.ts";
import type { Started } from "./run.ts";

export interface StartOptions {
  /** The command that creates a key. */
  readonly createKey: string;
  /** Returns whether an operation is answered. By default, each is. */
  readonly isAnswered?: (operation: Operation) => boolean;
}

/** Describes a service that listens. */
export function describeStart(document: Document, started: Started, options: StartOptions): string[] {
  const { origin } = started;
  const { basePath, content } = document;
  return [
    `${content.info?.title ?? "The service"} is listening at ${origin}${basePath}`,
    `Documentation: ${origin}/docs`,
    ...describeKeys(document, started, options),
  ];
}

/** Describes the first key, with a request that works when it is pasted if there is a simple one, or how to create a key. */
export function describeKeys(
  { operations, basePath }: Document,
  { origin, firstKey, hasKeys }: Started,
  { createKey, isAnswered = () => true }: StartOptions,
): string[] {
  if (firstKey === undefined) return hasKeys ? [] : [`There is no API key yet. Create one: ${createKey}`];
  const simple = operations.filter((one) => isSimple(one) && isAnswered(one));
  const [request = firstKey] = simple.flatMap(({ path, security }) => {
    const required = security[0]?.[0];
    const parts = required && describeCredential(required.scheme, firstKey);
    return parts ? [`curl ${parts.option}'${origin}${basePath}${path}${parts.query}'`] : [];
  });
  return ["API key for your first request. It is not shown again:", `  ${request}`];
}

// A GET that needs nothing but a key.
function isSimple({ method, path, security, parameterParts }: Operation): boolean {
  return (
    method === "GET" &&
    /^[\w/.~-]+$/.test(path) &&
    security[0]?.length === 1 &&
    parameterParts.every(({ value }) => !value.required)
  );
}

function describeCredential(scheme: SecuritySchemeObject, key: string) {
  const { type, in: location, name = "" } = scheme;
  if (isBearer(scheme)) return { option: `-H 'Authorization: Bearer ${key}' `, query: "" };
  if (type === "http" && /^basic$/i.test(scheme.scheme ?? "")) return { option: `-u 'key:${key}' `, query: "" };
  if (type !== "apiKey" || !/^[\w-]+$/.test(name)) return undefined;
  if (location === "query") return { option: "", query: `?${name}=${key}` };
  return { option: location === "cookie" ? `-b '${name}=${key}' ` : `-H '${name}: ${key}' `, query: "" };
}
