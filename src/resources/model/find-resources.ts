// Finds the resources of a document.
import { hash } from "node:crypto";
import type { Document, Operation, SchemaNode } from "../../openapi/application.ts";
import { type Collection, reservedNames } from "../../store/index.ts";
import { bodySchema, listPathOf, parametersOf, responseSchema } from "./operation-parts.ts";
import { toSnakeCase } from "./page-parameters.ts";
import { RecordSchema, valueType } from "./record-schema.ts";
import { type Id, Resource } from "./resource.ts";
import { findWrappedRecord } from "./response-frame.ts";

/**
 * Returns the resources of a document. Each has a path, and below it, that of a record. A record is returned by GET of its path, and
 * created by POST of that of the collection, or else by PUT of its own. Its id is an integer or a string. Parameters of the path
 * of the collection select the scope of its records.
 */
export function readResources(document: Document): readonly Resource[] {
  const resources = known.get(document) ?? findResources(document);
  known.set(document, resources);
  return resources;
}

const known = new WeakMap<Document, readonly Resource[]>();

function findResources(document: Document): readonly Resource[] {
  const { operations } = document;
  const find = (wanted: string, at: string) => operations.find(({ method, path }) => method === wanted && path === at);
  const names = new Set<string>();
  return operations.flatMap((get) => {
    const part = responseSchema(get, "200");
    if (get.method !== "GET" || !itemPath.test(get.path) || part === undefined) return [];
    const path = listPathOf(get.path);
    const own = {
      create: find("POST", path),
      get,
      list: find("GET", path),
      replace: find("PUT", get.path),
      update: find("PATCH", get.path),
      delete: find("DELETE", get.path),
    };
    const maker = own.create ?? own.replace;
    const newRecord = maker && bodySchema(maker);
    const response = new RecordSchema(document, part);
    const hasId = (schema: RecordSchema) => findId(get, schema) !== undefined;
    const record = hasId(response) ? response : findWrappedRecord(document, response, hasId);
    const id = record && findId(get, record);
    if (newRecord === undefined || record === undefined || id === undefined) return [];
    // A store generates the numbers of all scopes.
    if (own.create === undefined && id.type === "int64" && parametersOf(path).length > 0) return [];
    const name = nameOf(path, names);
    names.add(name);
    return [new Resource(own, { record, newRecord: new RecordSchema(document, newRecord), id, name })];
  });
}

/** Returns the collections of a document, to open its store. */
export function collectionsOf(document: Document): readonly Collection[] {
  return readResources(document).map(({ collection }) => collection);
}

// Parameters take whole segments.
const itemPath = /^(?:\/(?:[^{}/]+|\{[^{}/]+\}))*\/[^{}/]+\/\{[^{}/]+\}$/;

const maxNameLength = 40; // PostgreSQL ignores all but the first 63 characters of the name of an index

// The name of its table. Those of other tables are taken.
function nameOf(path: string, taken: ReadonlySet<string>): string {
  const name = path.slice(1).replaceAll("/", "_").replaceAll(/[{}]/g, "");
  if (name.length > maxNameLength || !/^[\w-]+$/.test(name) || taken.has(name))
    return `${name.replaceAll(/[^\w-]/g, "").slice(0, maxNameLength - 9)}_${hash("sha256", path).slice(0, 8)}`;
  return reservedNames.includes(name) || /^sqlite_/i.test(name) ? `${name}_records` : name;
}

// The property that is named like the parameter of the path, or `id`, or as ids usually are.
function findId({ path: template, parameterParts }: Operation, record: RecordSchema): Id | undefined {
  const parameter = parametersOf(template).at(-1) as string;
  const schema = parameterParts.find(({ value }) => value.in === "path" && value.name === parameter)?.written("schema");
  const sent = schema && idType(new RecordSchema(record.document, schema).parts);
  const thing = toSnakeCase(listPathOf(template)).split("_").at(-1)?.replace(/s$/, "");
  const lastWord = toSnakeCase(parameter).split("_").at(-1);
  const usual = [`${thing}_id`, "uuid", "key", "slug", "number", "name", "code"];
  const find = (wanted: string | undefined) => record.propertyNames.find((name) => toSnakeCase(name) === wanted);
  const named = [lastWord, "id", ...usual].flatMap((one) => find(one) ?? []);
  for (const name of [parameter, ...named]) {
    const type = idType(record.property(name));
    if (type !== undefined && (sent !== "int64" || type === sent)) return { path: [name], type };
  }
  // As Kubernetes does.
  const nested = [parameter, "id", "uid", "name"].map((name) => ["metadata", name]);
  const path = nested.find((names) => idType(record.at(names)) === "string");
  return path && sent !== "int64" ? { path, type: "string" } : undefined;
}

// The format of a number does not matter: the store generates small integers.
function idType(schemas: readonly SchemaNode[]): Id["type"] | undefined {
  const type = valueType(schemas);
  return type === "number" ? "int64" : type === "boolean" ? undefined : type;
}
