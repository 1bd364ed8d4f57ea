// A resource: a collection of the document, at whose path records are created and listed, and below which each has its own.
import type { Checked } from "../lib/index.ts";
import { type Document, type Operation, type Part, Query, type SchemaNode } from "../openapi/application.ts";
import { type Collection, type Filter, reservedNames, type ViewColumn } from "../store/index.ts";
import { itemSchemas, RecordSchema, valueType } from "./record-schema.ts";

/** The parameters of a list that select a page. */
const pageParameters = ["limit", "cursor"];

/** The operations of a collection. All but `create` and `get` can be missing. */
export interface ResourceOperations {
  readonly create: Operation;
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

  constructor(operations: ResourceOperations, record: RecordSchema, newRecord: RecordSchema, id: string) {
    this.operations = operations;
    this.record = record;
    this.newRecord = newRecord;
    const { create, list } = operations;
    const filters = list ? readFilters(list, record) : [];
    this.collection = { name: nameOf(create), id, properties: record.propertyNames, filters };
    const known = [...pageParameters, ...filters.map(({ name }) => name)];
    this.unknownParameters = (list ? queryOf(list) : []).flatMap(({ value: { name } }) =>
      known.includes(name) ? [] : [name],
    );
  }

  /** The name: its path, such as `pets` or `store_orders`. */
  get name(): string {
    return this.collection.name;
  }

  /** The name of one record, such as `pet`. */
  get recordName(): string {
    return (this.record.name ?? this.name.replace(/s$/, "")).replaceAll(/(?<=[a-z])(?=[A-Z])|\W+/g, "_").toLowerCase();
  }

  /** The columns of its view. */
  get columns(): readonly ViewColumn[] {
    const { propertyNames } = this.record;
    return propertyNames.map((name) => ({ name, type: valueType(this.record.property(name)) ?? "json" }));
  }

  /** The maximum size of a new record in bytes; undefined if the document has none. */
  get maxBytes(): number | undefined {
    return this.operations.create.body?.maxBytes;
  }

  /** The properties of a new record, in the order of the document, and those that are required. */
  get newProperties(): { readonly all: readonly string[]; readonly required: readonly string[] } {
    return { all: this.newRecord.propertyNames, required: this.newRecord.required };
  }

  /** Creates the validation of a parsed record, or of a new one. Compiles its schema, which is expensive. */
  createValidator(kind: "record" | "new record"): (record: unknown) => Checked<object> {
    return kind === "record" ? this.record.createValidator("response") : this.newRecord.createValidator("request");
  }

  /** Creates the validation of a new record whose properties are texts; those of objects and arrays are JSON. */
  createRowValidator(): (row: Readonly<Record<string, string>>) => Checked<object> {
    return this.newRecord.createRowValidator();
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

/**
 * Returns the resources of a document. Each has an operation that creates a record at a path without parameters, and one that
 * returns it, below this path. Its id is an int64 that the store generates.
 */
export function readResources(document: Document): readonly Resource[] {
  const resources = known.get(document) ?? findResources(document);
  known.set(document, resources);
  return resources;
}

const known = new WeakMap<Document, readonly Resource[]>();

function findResources(document: Document): readonly Resource[] {
  const { operations } = document;
  return operations.flatMap((create) => {
    if (create.method !== "POST" || !/^(\/[\w-]+)+$/.test(create.path)) return [];
    const get = operations.find(({ method, path }) => method === "GET" && isItemOf(path, create.path));
    const newRecord = bodySchema(create, "application/json");
    const part = get && responseSchema(get, "200");
    if (get === undefined || newRecord === undefined || part === undefined) return [];
    const record = new RecordSchema(document, part);
    const id = findId(get, record);
    if (id === undefined) return [];
    const find = (wanted: string, at: string) =>
      operations.find(({ method, path }) => method === wanted && path === at);
    const own = {
      create,
      get,
      list: find("GET", create.path),
      replace: find("PUT", get.path),
      update: find("PATCH", get.path),
      delete: find("DELETE", get.path),
    };
    return [new Resource(own, record, new RecordSchema(document, newRecord), id)];
  });
}

/** Returns the collections of a document, to open its store. */
export function collectionsOf(document: Document): readonly Collection[] {
  return readResources(document).map(({ collection }) => collection);
}

/** Returns the schema of the body of an operation; undefined if it has none of this media type. */
export function bodySchema({ part }: Operation, mediaType: string): Part | undefined {
  return part.at("requestBody")?.at("content")?.at(mediaType)?.at("schema");
}

/** Returns the schema of the response with a status, as JSON; undefined if it has none. */
export function responseSchema({ part }: Operation, status: string): Part | undefined {
  return part.at("responses")?.at(status)?.at("content")?.at("application/json")?.at("schema");
}

/** Returns the parameters of an operation in its query. */
export function queryOf({ parameterParts }: Operation) {
  return parameterParts.filter(({ value }) => value.in === "query");
}

// The name of its table. Those of other tables are taken.
function nameOf({ path }: Operation): string {
  const name = path.slice(1).replaceAll("/", "_");
  return reservedNames.includes(name) || /^sqlite_/i.test(name) ? `${name}_records` : name;
}

// Whether a path is that of the list and one parameter.
function isItemOf(path: string, list: string): boolean {
  return path.startsWith(`${list}/`) && /^\{[^{}/]+\}$/.test(path.slice(list.length + 1));
}

// The property that is named like the parameter of the path, or `id`.
function findId({ path }: Operation, record: RecordSchema): string | undefined {
  const parameter = path.slice(path.lastIndexOf("{") + 1, -1);
  return [parameter, "id"].find((name) => valueType(record.property(name)) === "int64");
}

// A parameter names a property, or in the singular an array, of which it is an item. It must have the type of the property.
function readFilters(list: Operation, record: RecordSchema): Filter[] {
  return queryOf(list).flatMap((parameter): Filter[] => {
    const { name } = parameter.value;
    if (pageParameters.includes(name)) return [];
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
