// A resource: a collection of the document, at whose path records are created and listed, and below which each has its own.
import type { Checked } from "../lib/index.ts";
import {
  createRecordValidator,
  createRowValidator,
  type Document,
  type Operation,
  type Part,
  Query,
  type SchemaObject,
} from "../openapi/application.ts";
import { type Collection, type Filter, reservedNames } from "../store/index.ts";

/** The parameters of a list that select a page. */
const pageParameters = ["limit", "cursor"];

/** A collection of records of the document. */
export class Resource {
  /** What a store knows of it. */
  readonly collection: Collection;
  /** The parameters of the list that neither select a page nor name a property: no store can apply them. */
  readonly unknownParameters: readonly string[];
  readonly #document: Document;
  readonly #create: Operation;
  readonly #list: Operation | undefined;
  readonly #record: Part<SchemaObject>;
  readonly #newRecord: Part<SchemaObject>;

  constructor(document: Document, create: Operation, list: Operation | undefined, parts: RecordParts) {
    const { record, newRecord, id } = parts;
    this.#document = document;
    this.#create = create;
    this.#list = list;
    this.#record = record;
    this.#newRecord = newRecord;
    const filters = list ? readFilters(list, record) : [];
    this.collection = { name: nameOf(create), id, properties: this.#propertiesOf(record), filters };
    const known = [...pageParameters, ...filters.map(({ name }) => name)];
    this.unknownParameters = (list ? queryOf(list) : []).flatMap(({ value: { name } }) =>
      known.includes(name) ? [] : [name],
    );
  }

  /** The name: its path, such as `pets` or `store_orders`. */
  get name(): string {
    return this.collection.name;
  }

  /** The maximum size of a new record in bytes; undefined if the document has none. */
  get maxBytes(): number | undefined {
    return this.#create.body?.maxBytes;
  }

  /** The properties of a new record, in the order of the document, and those that are required. */
  get newProperties(): { readonly all: readonly string[]; readonly required: readonly string[] } {
    const { required = [] } = this.#newRecord.value;
    return { all: this.#propertiesOf(this.#newRecord), required: required as string[] };
  }

  /** Creates the validation of a parsed record, or of a new one. Compiles its schema, which is expensive. */
  createValidator(kind: "record" | "new record"): (record: unknown) => Checked<object> {
    const schema = kind === "record" ? this.#record : this.#newRecord;
    return createRecordValidator(schema, this.#document.schemas) as (record: unknown) => Checked<object>;
  }

  /** Creates the validation of a new record whose properties are texts; those of objects and arrays are JSON. */
  createRowValidator(): (row: Readonly<Record<string, string>>) => Checked<object> {
    const validate = createRowValidator(this.#newRecord, this.#document.schemas);
    return validate as (row: Readonly<Record<string, string>>) => Checked<object>;
  }

  /** Reads the value of a filter from a text, as the list reads it from a query. Returns what is wrong with it otherwise. */
  readFilter(name: string, text: string): { filter: Filter; value: unknown } | { problem: string } {
    const { filters } = this.collection;
    const filter = filters.find((one) => one.name === name);
    if (filter === undefined || this.#list === undefined)
      return { problem: `${this.name} can be filtered by: ${filters.map((one) => one.name).join(", ") || "nothing"}` };
    const query = new Query(`/?${new URLSearchParams([[name, text]])}`);
    const { value, error } = this.#list.parameters.query.read(query);
    return error ? { problem: error.message } : { filter, value: (value as Record<string, unknown>)[name] };
  }

  #propertiesOf({ pointer }: Part<SchemaObject>): readonly string[] {
    return this.#document.schemas.shapeAt(pointer).propertyNames;
  }
}

/**
 * Returns the resources of a document. Each has an operation that creates a record at a path without parameters, and one that
 * returns it, below this path. Its id is an int64 that the store generates.
 */
export function readResources(document: Document): readonly Resource[] {
  const { operations } = document;
  return operations.flatMap((create) => {
    if (create.method !== "POST" || !/^(\/[\w-]+)+$/.test(create.path)) return [];
    const get = operations.find(({ method, path }) => method === "GET" && isItemOf(path, create.path));
    const newRecord = create.part.at("requestBody")?.at("content")?.at("application/json")?.at("schema");
    const record = get && responseOf(get, "200");
    const id = get && record && findId(get, record);
    if (!newRecord || !record || id === undefined) return [];
    const list = operations.find(({ method, path }) => method === "GET" && path === create.path);
    return [new Resource(document, create, list, { record, newRecord: newRecord as Part<SchemaObject>, id })];
  });
}

/** Returns the collections of a document, to open its store. */
export function collectionsOf(document: Document): readonly Collection[] {
  return readResources(document).map(({ collection }) => collection);
}

interface RecordParts {
  readonly record: Part<SchemaObject>;
  readonly newRecord: Part<SchemaObject>;
  /** The property that has the id. */
  readonly id: string;
}

// The name of its table. Those of other tables are taken.
function nameOf({ path }: Operation): string {
  const name = path.slice(1).replaceAll("/", "_");
  return reservedNames.includes(name) || /^sqlite_/i.test(name) ? `${name}_records` : name;
}

/** Whether a path is that of the list and one parameter. */
function isItemOf(path: string, list: string): boolean {
  return path.startsWith(`${list}/`) && /^\{[^{}/]+\}$/.test(path.slice(list.length + 1));
}

function responseOf({ part }: Operation, status: string): Part<SchemaObject> | undefined {
  const schema = part.at("responses")?.at(status)?.at("content")?.at("application/json")?.at("schema");
  return schema as Part<SchemaObject> | undefined;
}

// The property that is named like the parameter of the path, or `id`.
function findId({ path }: Operation, record: Part<SchemaObject>): string | undefined {
  const parameter = path.slice(path.lastIndexOf("{") + 1, -1);
  return [parameter, "id"].find((name) => typeOf(propertyOf(record, name)) === "int64");
}

function queryOf({ parameterParts }: Operation) {
  return parameterParts.filter(({ value }) => value.in === "query");
}

// A parameter names a property, or in the singular an array, of which it is an item. It must have the type of the property.
function readFilters(list: Operation, record: Part<SchemaObject>): Filter[] {
  return queryOf(list).flatMap((parameter): Filter[] => {
    const { name } = parameter.value;
    if (pageParameters.includes(name)) return [];
    const sent = typeOf(parameter.at("schema") as Part<SchemaObject> | undefined);
    for (const property of [name, `${name}s`]) {
      const schema = propertyOf(record, property);
      const items = schema?.value.items === undefined ? undefined : (schema.at("items") as Part<SchemaObject>);
      const type = typeOf(items ?? schema);
      const contains = items !== undefined;
      if (type !== undefined && type === sent && (contains || property === name))
        return [{ name, property, type, contains, isLong: type === "string" && !isShort(schema?.value ?? {}) }];
    }
    return [];
  });
}

const maxShortLength = 500; // characters of up to 4 bytes

function isShort({ enum: values, const: value, format, maxLength }: SchemaObject): boolean {
  const isDated = format === "date" || format === "date-time" || format === "uuid";
  return values !== undefined || value !== undefined || isDated || Number(maxLength) <= maxShortLength;
}

function propertyOf(schema: Part<SchemaObject>, name: string): Part<SchemaObject> | undefined {
  const properties = schema.at("properties") as Part<Record<string, SchemaObject>> | undefined;
  return properties?.at(name) as Part<SchemaObject> | undefined;
}

// Returns the type of values that a filter can compare; undefined for others.
function typeOf(schema: Part<SchemaObject> | undefined): Filter["type"] | undefined {
  const { type, format } = schema?.value ?? {};
  const [first, ...others] = [type].flat().filter((name) => name !== "null");
  if (others.length > 0) return undefined;
  if (first === "integer") return format === "int64" ? "int64" : "number";
  return first === "string" || first === "number" || first === "boolean" ? first : undefined;
}
