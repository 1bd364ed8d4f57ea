// Operations with the same method and path. Some documents tell them apart by a query or fragment in the path, such as
// /files/{id}#share or /responses?beta=true. The router selects one by the query and the Content-Type of a request, and those whose
// path has a literal behind a parameter by the path as it was sent.
import type { IncomingMessage } from "node:http";
import type { Operation } from "../operation/operation.ts";
import { findRawText } from "../operation/path-template.ts";
import { Query } from "../wire/pairs.ts";

let count = 0; // an app can serve several documents

/** Groups operations by method and path. The first of a group is served if no other one fits a request better. */
export function groupVariants(operations: readonly Operation[]): Operation[][] {
  return [...Map.groupBy(operations, ({ method, template }) => `${method} ${template.key}`).values()];
}

/** Returns what a request must have for an operation, beyond its method and path. Operations that are equal in it can't be told apart. */
export function describeVariant({ template, parameters, parameterParts, body }: Operation): string {
  const required = parameterParts.flatMap(({ value }) => (value.in === "query" && value.required ? [value.name] : []));
  return JSON.stringify([[...template.query], required, parameters.query.names, body?.mediaTypes]);
}

/** Returns whether two operations require and return the same, apart from their parameters. Descriptions count for nothing. */
export function differInParameters(one: Operation, other: Operation): boolean {
  const [text, otherText] = [one, other].map(({ part, security }) =>
    JSON.stringify([security, part.value.requestBody, part.value.responses], (name, value) => {
      if (typeof value === "bigint") return `${value}`;
      return name === "description" && typeof value === "string" ? undefined : value;
    }),
  );
  return text === otherText;
}

/**
 * Returns whether a path template has literals that delimit a parameter in its segment. The router decodes a segment before it
 * compares it, so that it would take the text "5:cancel" of a parameter, sent as 5%3Acancel, for the literal of /jobs/{id}:cancel
 * (RFC 3986, section 2.2).
 */
export function hasDelimiters({ template }: Operation): boolean {
  return template.positions.some(({ pattern }) => pattern !== undefined);
}

/**
 * Creates the constraint of the router for groups of operations. Its values are operationIds. It selects an operation if the path as it was sent has its literals, and the
 * request fits it, and else the first of its group if that is constrained.
 */
export function createVariantConstraint(groups: readonly (readonly Operation[])[]) {
  const groupOf = new Map(groups.flatMap((group) => group.map((operation) => [operation.id, group] as const)));
  return {
    name: `variant${count++}`,
    mustMatchWhenDerived: false,
    deriveConstraint: (request: IncomingMessage) => request,
    // One for each path: the router asks for the handlers of an operationId, or of a request.
    storage() {
      const handlers = new Map<string, unknown>();
      const find = (request: IncomingMessage) => {
        const [id] = handlers.keys();
        const [first, ...others] = groupOf.get(id as string) ?? [];
        if (first === undefined || !hasLiterals(first, request)) return undefined;
        return ([first, ...others].find((operation) => fits(operation, request)) ?? first).id;
      };
      return {
        get: (key: string | IncomingMessage) => handlers.get(typeof key === "string" ? key : `${find(key)}`) ?? null,
        set: (id: string, handler: unknown) => void handlers.set(id, handler),
      };
    },
  };
}

function hasLiterals({ template }: Operation, { url = "" }: IncomingMessage): boolean {
  const [path = ""] = url.split(/[?#]/, 1); // as the router
  return template.positions.every((position) => findRawText(path, position) !== undefined);
}

function fits({ template, parameters, body }: Operation, { url = "", headers }: IncomingMessage): boolean {
  const query = new Query(url);
  const type = headers["content-type"];
  return (
    [...template.query].every(([name, values]) => query.pairs.get(name)?.join() === values.join()) &&
    parameters.query.hasNames(query) &&
    (type === undefined || body === undefined || body.select(type) !== undefined)
  );
}
