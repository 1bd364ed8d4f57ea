// A resource: a collection of the document, at whose path records are created and listed, and below which each has its own.
import { hash } from "node:crypto";
import type { Checked } from "../lib/index.ts";
import { type Document, type Operation, type Part, Query, type SchemaNode } from "../openapi/application.ts";
import {
  type Collection,
  type Filter,
  findKeyProblem,
  type IdForm,
  idForms,
  reservedNames,
  scopeFilter,
  type ViewColumn,
} from "../store/index.ts";
import { pageRoleOf, toSnakeCase } from "./page-parameters.ts";
import { itemSchemas, RecordSchema, valueType } from "./record-schema.ts";
import { findWrappedRecord } from "./response-frame.ts";

/** The parameters of a list that select a page. */
const pageParameters = ["limit", "cursor"];

/** The operations of a collection. It has `create`, or `replace`, which then creates records, too. */
export interface ResourceOperations {
  readonly create: Operation | undefined;
  readonly get: Operation;
  readonly list: Operation | undefined;
  readonly replace: Operation | undefined;
  readonly update: Operation | undefined;
  readonly delete: Operation | undefined;
}

/** A collection of records of the document. */
export class Resource {
  /** What a store knows of it. */
  readonly collection: Collection;
  readonly operations: ResourceOperations;
  readonly record: RecordSchema;
  readonly newRecord: RecordSchema;
  /** The parameters of the list that neither select a page nor name a property: no store can apply them. */
  readonly unknownParameters: readonly string[];

  constructor(operations: ResourceOperations, { record, newRecord, id, name }: ResourceParts) {
    this.operations = operations;
    this.record = record;
    this.newRecord = newRecord;
    const { list } = operations;
    const filters = list ? readFilters(list, record) : [];
    const isScoped = this.scopeParameters.length > 0;
    this.collection = {
      name,
      id: id.name,
      idType: id.type,
      ...(id.type === "string" && { idForm: findIdForm(record, id.name) }),
      ...(isScoped && { isScoped }),
      properties: record.propertyNames,
      filters: isScoped ? [scopeFilter, ...filters] : filters,
    };
    const known = [...pageParameters, ...filters.map(({ name }) => name)];
    this.unknownParameters = (list ? queryOf(list) : []).flatMap(({ value: { name } }) =>
      known.includes(name) ? [] : [name],
    );
  }

  /** The path of the collection. */
  get path(): string {
    return listPathOf(this.operations.get.path);
  }

  /** The parameter of the path with the id of a record. */
  get parameter(): string {
    return parametersOf(this.operations.get.path).at(-1) as string;
  }

  /** Whether the property with the id is named like the parameter of the path, or `id`. Others are likely only. */
  get hasUsualId(): boolean {
    return [this.parameter, "id"].includes(this.collection.id);
  }

  /** The parameters of the path that select the scope of a record, such as `shop` of `/shops/{shop}/books`. */
  get scopeParameters(): readonly string[] {
    return parametersOf(this.path);
  }

  /** The path of the record to which the scope belongs, such as `/shops/{shop}`; undefined if there is no scope. */
  get parentPath(): string | undefined {
    return /^.*\}(?=\/)/.exec(this.path)?.[0];
  }

  /** The name: its path, such as `pets` or `store_orders`. */
  get name(): string {
    return this.collection.name;
  }

  /** The name of one record, such as `pet`. */
  get recordName(): string {
    const [, segment = ""] = /([^/]*)$/.exec(this.path) ?? [];
    return (this.record.name ?? segment.replace(/s$/, "")).replaceAll(/(?<=[a-z])(?=[A-Z])|\W+/g, "_").toLowerCase();
  }

  /** The columns of its view. */
  get columns(): readonly ViewColumn[] {
    const { propertyNames } = this.record;
    return propertyNames.map((name) => ({ name, type: valueType(this.record.property(name)) ?? "json" }));
  }

  /** The maximum size of a new record in bytes; undefined if the document has none. */
  get maxBytes(): number | undefined {
    const { create, replace } = this.operations;
    return (create ?? replace)?.body?.maxBytes;
  }

  /** The properties of a new record, in the order of the document, and those that are required. */
  get newProperties(): { readonly all: readonly string[]; readonly required: readonly string[] } {
    return { all: this.newRecord.propertyNames, required: this.newRecord.required };
  }

  /** Whether a new record can have the id. */
  get takesId(): boolean {
    const schemas = this.newRecord.property(this.collection.id).map(({ schema }) => schema);
    return schemas.length > 0 && !schemas.some(({ readOnly }) => readOnly === true);
  }

  /** Creates the validation of a parsed record, or of a new one. Compiles its schema, which is expensive. */
  createValidator(kind: "record" | "new record"): (record: unknown) => Checked<object> {
    if (kind === "record") return this.record.createValidator("response");
    return this.#withIdCheck(this.newRecord.createValidator("request"));
  }

  /** Creates the validation of a new record whose properties are texts; those of objects and arrays are JSON. */
  createRowValidator(): (row: Readonly<Record<string, string>>) => Checked<object> {
    return this.#withIdCheck(this.newRecord.createRowValidator());
  }

  // The document has no rule for texts that no index can have.
  #withIdCheck<T>(validate: (record: T) => Checked<object>): (record: T) => Checked<object> {
    const { id, idType } = this.collection;
    if (idType !== "string") return validate;
    return (record) => {
      const checked = validate(record);
      if (checked.problem) return checked;
      const key = (checked.value as Readonly<Record<string, string | undefined>>)[id];
      const requirement = key === undefined ? undefined : findKeyProblem(key);
      return requirement === undefined ? checked : { problem: { path: id, requirement } };
    };
  }

  /** Reads the value of a filter from a text, as the list reads it from a query. Returns what is wrong with it otherwise. */
  readFilter(name: string, text: string): { filter: Filter; value: unknown } | { problem: string } {
    const { filters } = this.collection;
    const { list } = this.operations;
    const filter = filters.find((one) => one.name === name);
    if (filter === undefined || list === undefined)
      return { problem: `${this.name} can be filtered by: ${filters.map((one) => one.name).join(", ") || "nothing"}` };
    const query = new Query(`/?${new URLSearchParams([[name, text]])}`);
    const { value, error } = list.parameters.query.read(query);
    return error ? { problem: error.message } : { filter, value: (value as Record<string, unknown>)[name] };
  }
}

interface ResourceParts {
  readonly record: RecordSchema;
  readonly newRecord: RecordSchema;
  readonly id: Id;
  readonly name: string;
}

/** The property with the id of a record. */
interface Id {
  readonly name: string;
  readonly type: Collection["idType"];
}

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
    // Only a POST generates numbers.
    if (own.create === undefined && id.type === "int64") return [];
    const name = nameOf(path, names);
    names.add(name);
    return [new Resource(own, { record, newRecord: new RecordSchema(document, newRecord), id, name })];
  });
}

/** Returns the collections of a document, to open its store. */
export function collectionsOf(document: Document): readonly Collection[] {
  return readResources(document).map(({ collection }) => collection);
}

/** Returns the schema of the body of an operation: as JSON, or as a form. Undefined if it has none. */
export function bodySchema({ part }: Operation): Part | undefined {
  const content = part.at("requestBody")?.at("content");
  return (content?.at("application/json") ?? content?.at("application/x-www-form-urlencoded"))?.at("schema");
}

/** Returns the schema of the response with a status, as JSON; undefined if it has none. */
export function responseSchema({ part }: Operation, status: string): Part | undefined {
  return part.at("responses")?.at(status)?.at("content")?.at("application/json")?.at("schema");
}

/** Returns the parameters of an operation in its query. */
export function queryOf({ parameterParts }: Operation) {
  return parameterParts.filter(({ value }) => value.in === "query");
}

// Parameters take whole segments.
const itemPath = /^(?:\/(?:[^{}/]+|\{[^{}/]+\}))*\/[^{}/]+\/\{[^{}/]+\}$/;

function listPathOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
}

const maxNameLength = 40; // PostgreSQL ignores all but the first 63 characters of the name of an index

// The name of its table. Those of other tables are taken.
function nameOf(path: string, taken: ReadonlySet<string>): string {
  const name = path.slice(1).replaceAll("/", "_").replaceAll(/[{}]/g, "");
  if (name.length > maxNameLength || !/^[\w-]+$/.test(name) || taken.has(name))
    return `${name.replaceAll(/[^\w-]/g, "").slice(0, maxNameLength - 9)}_${hash("sha256", path).slice(0, 8)}`;
  return reservedNames.includes(name) || /^sqlite_/i.test(name) ? `${name}_records` : name;
}

// Returns the first form of ids that the schema of a record allows.
function findIdForm(record: RecordSchema, id: string): IdForm | undefined {
  const forms = Object.entries(idForms) as [IdForm, () => string][];
  return forms.find(([, make]) => record.accepts(id, make()))?.[0];
}

// The property that is named like the parameter of the path, or `id`, or as ids usually are.
function findId({ path, parameterParts }: Operation, record: RecordSchema): Id | undefined {
  const parameter = parametersOf(path).at(-1) as string;
  const schema = parameterParts.find(({ value }) => value.in === "path" && value.name === parameter)?.written("schema");
  const sent = schema && idType(new RecordSchema(record.document, schema).parts);
  const thing = toSnakeCase(listPathOf(path)).split("_").at(-1)?.replace(/s$/, "");
  const lastWord = toSnakeCase(parameter).split("_").at(-1);
  const usual = [`${thing}_id`, lastWord, "uuid", "key", "slug", "number", "name", "code"];
  const find = (wanted: string | undefined) => record.propertyNames.find((name) => toSnakeCase(name) === wanted);
  for (const name of [parameter, "id", ...usual.flatMap((one) => find(one) ?? [])]) {
    const type = idType(record.property(name));
    if (type !== undefined && (sent !== "int64" || type === sent)) return { name, type };
  }
  return undefined;
}

// The format of a number does not matter: the store generates small integers.
function idType(schemas: readonly SchemaNode[]): Id["type"] | undefined {
  const type = valueType(schemas);
  return type === "number" ? "int64" : type === "boolean" ? undefined : type;
}

// A parameter names a property, or in the singular an array, of which it is an item. It must have the type of the property.
function readFilters(list: Operation, record: RecordSchema): Filter[] {
  return queryOf(list).flatMap((parameter): Filter[] => {
    const { name } = parameter.value;
    if (pageRoleOf(name, record) !== undefined) return [];
    const schema = parameter.written("schema");
    const sent = schema && valueType(new RecordSchema(record.document, schema).parts);
    for (const property of [name, `${name}s`]) {
      const schemas = record.property(property);
      const items = itemSchemas(schemas);
      const compared = items ?? schemas;
      const type = valueType(compared);
      const contains = items !== undefined;
      if (type !== undefined && type === sent && (contains || property === name))
        return [{ name, property, type, contains, isLong: type === "string" && !compared.some(isShort) }];
    }
    return [];
  });
}

const maxShortLength = 500; // characters of up to 4 bytes

function isShort({ schema: { enum: values, const: value, format, maxLength } }: SchemaNode): boolean {
  const isDated = format === "date" || format === "date-time" || format === "uuid";
  return values !== undefined || value !== undefined || isDated || Number(maxLength) <= maxShortLength;
}
