// The lifecycles of a document: a path at which a record is created, and one below it at which it is read.
import { jsonType, type Operation, type RawDocument } from "./document.ts";

export interface Lifecycle {
  readonly path: string;
  readonly create: Operation;
  readonly get: Operation;
  readonly list: Operation | undefined;
  readonly change: Operation | undefined;
  readonly remove: Operation | undefined;
}

const bodyTypes = [jsonType, /^\*\/\*/, /x-www-form-urlencoded/];

/** Finds the lifecycles of a document: the response of POST has members of the record that GET returns. */
export function findLifecycles(document: RawDocument): readonly Lifecycle[] {
  return document.operations.flatMap((get) => {
    const [, path] = /^(.*\/[^{}/]+)\/\{[^{}/]+\}$/.exec(get.path) ?? [];
    if (get.method !== "GET" || path === undefined) return [];
    const post = document.find("POST", path);
    const put = document.find("PUT", get.path);
    const create = post ?? put;
    if (create === undefined || !isDone(create) || document.content(create.raw.requestBody, bodyTypes) === undefined)
      return [];
    const record = membersOf(document, get);
    const made = membersOf(document, create);
    const shared = record.filter((name) => made.includes(name));
    if (shared.length === 0 || shared.length * 2 < record.length) return [];
    const change = document.find("PATCH", get.path) ?? put ?? document.find("POST", get.path);
    const remove = document.find("DELETE", get.path);
    return [{ path: get.path, create, get, list: document.find("GET", path), change, remove }];
  });
}

// A 202 promises nothing.
function isDone({ raw }: Operation): boolean {
  return ["200", "201", "204"].some((status) => Object.hasOwn(Object(raw.responses), status));
}

// The members of a record, or of the one in an envelope.
function membersOf(document: RawDocument, operation: Operation): readonly string[] {
  const properties = document.properties(document.success(operation));
  const names = Object.keys(properties);
  const nested = names.map((name) => Object.keys(document.properties(properties[name])));
  const [envelope] = nested.filter((one) => one.length > 0);
  return names.length <= 2 && envelope ? envelope : names;
}

/** Returns the media type and schema of the body of an operation. */
export function bodyOf(document: RawDocument, { raw }: Operation) {
  return document.content(raw.requestBody, [/merge-patch\+json/, ...bodyTypes]);
}
