// Finds the collection of which an operation of a document returns the record, or the records.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Document, Operation } from "../../../openapi/index.ts";
import { meaningOf, singularOf } from "../../names/meaning.ts";
import { certainIdNames, codeNames, urlNames } from "../../names/member-names.ts";
import {
  changeNames,
  computedNames,
  derivedNames,
  settingsNames,
  singleNames,
  spokenList,
} from "../../names/operation-names.ts";
import { RecordSchema, type SchemaPlace } from "../../record/record-schema.ts";
import { itemSchemas } from "../../record/schema-nodes.ts";
import {
  bodySchema,
  changeSchema,
  findJsonInPath,
  queryOf,
  readSchema,
  responseAt,
  successSchema,
} from "../bodies-and-parameters.ts";
import { pageRoleOf } from "../lists/page-parameters.ts";
import { hasFragment, isRecordPath, lastSegment, listPathOf, normalizePath, parametersOf } from "../paths.ts";
import { findWrappedRecord } from "../responses/envelopes.ts";
import { type OperationHint, type PathHint, readOperationHint, readPathHint, refusal } from "../x-resource.ts";
import { findId, pathId } from "./find-id.ts";
import { findListedRecord, hasArrayNamedAs } from "./listed-record.ts";
import { creationOf, type FoundCollection, hasPart } from "./plan-collection.ts";

/** Finds the collections of a document, one for an operation. */
export class CollectionFinder {
  readonly #document: Document;
  readonly #byPath: ReadonlyMap<string, readonly Operation[]>;
  readonly #named: readonly { readonly operation: Operation; readonly hint: OperationHint }[];

  constructor(document: Document) {
    this.#document = document;
    this.#byPath = Map.groupBy(document.operations, ({ path }) => normalizePath(path));
    this.#named = document.operations.flatMap((operation) => {
      const hint = readOperationHint(operation);
      if (hint === false || Object.keys(hint).length === 0) return [];
      for (const path of Object.values(hint).filter((value) => typeof value === "string"))
        if (!document.operations.some((one) => one.method === "GET" && one.path === path))
          throw refusal(`the operation ${operation.id}`, `the document has no GET ${path}`);
      return [{ operation, hint }];
    });
  }

  /**
   * Returns the collection of the record at the path of `item`, for one operation of each path: the GET, or without one, another operation,
   * if the list returns the record. Undefined for the others.
   */
  findCollection(item: Operation): FoundCollection | undefined {
    if (!itemPath.test(normalizePath(item.path)) || this.#itemOf(item.path) !== item) return undefined;
    const hint = readPathHint(this.#document, item.path);
    const path = listPathOf(item.path);
    const [create, list] = [this.#findNamed("create", item.path), this.#findNamed("list", item.path)];
    const own = {
      ...this.#changesOf(item),
      create: create ?? this.#find("POST", path),
      list: list ?? this.#find("GET", path),
    };
    const shownBy = own.get ?? own.list;
    const part = shownBy && readSchema(shownBy);
    const response = part && (own.get ? this.#schemaOf(part) : findListedRecord(this.#schemaOf(part), item));
    if (response === undefined || hint === false) return undefined;
    const creation = creationOf({ isSingle: false, operations: own });
    const maker = creation && own[creation];
    const isResult = own.get && own.replace === undefined && isComputed(own.get, response);
    const body = maker && bodySchema(maker);
    // A POST without a body of JSON, such as an upload, is not answered: as without it, records are imported.
    const newRecord = body ?? (isResult ? undefined : part);
    if (newRecord === undefined) return undefined;
    const shown = maker && successSchema(maker);
    // What is created, if a GET can also return something else, such as the id of a deleted record.
    const created = shown && response.alternatives.find(({ pointer }) => pointer === this.#schemaOf(shown).pointer);
    const bare = created ?? response;
    const sent = own.create && body && this.#schemaOf(body);
    const hasId = (schema: RecordSchema) => findId(item, schema, hint.id, sent) !== undefined;
    const record = hasId(bare) ? bare : findWrappedRecord(bare, hasId);
    // Without an id, a record that PUT creates has that of its path.
    if (record === undefined && hint.id !== undefined)
      throw refusal(
        `the path ${item.path}`,
        `a record has no property ${hint.id.join(".")}, a string, or an integer that is in no object`,
      );
    // Or clients know the id by a URL of the record.
    const isLinked = own.create && (hasUrl(bare) || responseAt(own.create, "201")?.at("headers")?.at("Location"));
    const inPath = (own.replace && !own.create) || isLinked ? pathId : undefined;
    const id = (record && findId(item, record, hint.id, sent)) ?? inPath;
    // A store generates the numbers of all scopes.
    const isNumbered = creation === "replace" && id?.type === "int64" && parametersOf(path).length > 0;
    if (id === undefined || isNumbered) return undefined;
    // Without an operation that creates them, records are imported.
    const made = body ? this.#schemaOf(body) : (record ?? bare);
    return this.#create(own, { item, record: record ?? bare, newRecord: made, id }, hint);
  }

  /** Returns the collection that an operation lists, if its records have no path; undefined if there is none. */
  findList(get: Operation, others: readonly FoundCollection[]): FoundCollection | undefined {
    const place = normalizePath(get.path);
    const hint = readPathHint(this.#document, get.path);
    const isOther = others.some(
      ({ path, operations, views }) =>
        path === place || operations.list === get || views.some(({ operation }) => operation === get),
    );
    if (hint === false || isOther || !singlePath.test(place) || this.#find("GET", place) !== get) return undefined;
    const part = readSchema(get);
    const post = this.#find("POST", place);
    const item = withId(get);
    const record = part && findListedRecord(this.#schemaOf(part), item);
    const id = record && findId(item, record, hint.id);
    const [idName = ""] = id?.path ?? [];
    const isCode = post === undefined && record?.required.includes(idName) && meaningOf(codeNames, idName);
    // Without a path that uses it, a name or code is not known to be the id of records that are created.
    if (
      record === undefined ||
      id === undefined ||
      (post === undefined && hint.id === undefined && others.some((one) => isCopyOf(one, record, place))) ||
      !(hint.id || certainIdNames.test(toSnakeCase(id.path.join("_"))) || isCode) ||
      isComputedPath(place) ||
      derivedNames.test(toSnakeCase(lastSegment(place)))
    )
      return undefined;
    const create = post && responseAt(post, "201") && bodySchema(post) ? post : undefined;
    const newRecord = create && bodySchema(create);
    const own = { create, get: undefined, list: get, replace: undefined, update: undefined, delete: undefined };
    return this.#create(
      own,
      { item: get, record, newRecord: newRecord ? this.#schemaOf(newRecord) : record, id },
      hint,
    );
  }

  // Returns an operation at the path of a record: the GET, if there is one. Undefined if `x-resource: false` excludes it.
  #itemOf(path: string): Operation | undefined {
    const all = this.#byPath.get(normalizePath(path)) ?? [];
    const [first] = ["GET", "PUT", "PATCH", "DELETE"].flatMap(
      (method) => all.find((one) => one.method === method) ?? [],
    );
    return first && this.#isOpen(first) ? first : undefined;
  }

  /**
   * Returns the single record that an operation returns, and another one of its path changes, or which is imported. Undefined if it returns
   * none.
   */
  findSingle(get: Operation, collections: readonly FoundCollection[]): FoundCollection | undefined {
    const part = readSchema(get);
    const hint = readPathHint(this.#document, get.path);
    if (get.method !== "GET" || !singlePath.test(normalizePath(get.path)) || part === undefined || !this.#isOpen(get))
      return undefined;
    if (relationshipsPath.test(get.path)) return undefined;
    if (hint === false || collections.some((one) => one.path === normalizePath(get.path) || hasPart(one, get.path)))
      return undefined;
    if (this.#find("GET", get.path) !== get) return undefined; // another one has the same place
    const found = this.#changesOf(get);
    // A POST beside no PUT and PATCH can be a search, or create records that have no path.
    const isNamed =
      settingsNames.test(toSnakeCase(lastSegment(get.path))) || changeNames.test(toSnakeCase(found.update?.id ?? ""));
    const isChange = found.update?.method !== "POST" || isNamed;
    const update = this.#findNamed("update", get.path) ?? (isChange ? found.update : undefined);
    const own = { ...found, update, delete: this.#findNamed("delete", get.path) ?? found.delete };
    const change = own.replace ?? own.update;
    const body = change && changeSchema(change);
    const response = this.#schemaOf(part);
    // A PUT there creates records, as in Xero, or changes one of several.
    if (hasArrayNamedAs(lastSegment(get.path), response) || isSpokenList(get, response)) return undefined;
    const isList = () => findListedRecord(response, withId(get)) !== undefined;
    if (change === undefined && isImportedSingle(get, response) && !isList())
      return this.#create(own, { item: get, isSingle: true, record: response, newRecord: response, id: pathId }, hint);
    if (body === undefined) return undefined;
    const newRecord = this.#schemaOf(body);
    const isRecord = ({ propertyNames }: RecordSchema) =>
      propertyNames.some((name) => newRecord.propertyNames.includes(name));
    const record = isRecord(response) ? response : findWrappedRecord(response, isRecord);
    return record && this.#create(own, { item: get, isSingle: true, record, newRecord, id: pathId }, hint);
  }

  // The operations that change a record. Without PUT and PATCH, POST does, as with Stripe.
  #changesOf({ path }: Operation) {
    const get = this.#find("GET", path);
    const [replace, patch] = [this.#find("PUT", path), this.#find("PATCH", path)];
    const post = replace ? undefined : this.#find("POST", path);
    // A POST with 201 creates something below the record, unless its name says that it changes it.
    const creates = post?.part.at("responses")?.at("201") && !changeNames.test(toSnakeCase(post.id));
    const update = patch ?? (creates ? undefined : post);
    return { create: undefined, get, list: undefined, replace, update, delete: this.#find("DELETE", path) };
  }

  #find(method: string, path: string): Operation | undefined {
    return this.#byPath.get(normalizePath(path))?.find((one) => one.method === method && this.#isOpen(one));
  }

  // The operation that creates or lists records of a path, as the document says. It has the same scope.
  #findNamed(kind: keyof OperationHint, path: string): Operation | undefined {
    const found = this.#named.find(({ hint }) => hint[kind] === path)?.operation;
    const scope = parametersOf(listPathOf(path)).toString();
    if (found !== undefined && parametersOf(found.path).toString() !== scope)
      throw refusal(`the operation ${found.id}`, `its path must have the parameters of ${listPathOf(path)}`);
    return found;
  }

  #isOpen(operation: Operation): boolean {
    const { path } = operation;
    return readOperationHint(operation) !== false && findJsonInPath(operation) === undefined && !hasFragment(path);
  }

  #schemaOf(place: SchemaPlace): RecordSchema {
    return RecordSchema.of(this.#document, place);
  }

  #create(
    operations: FoundCollection["operations"],
    {
      isSingle = false,
      ...parts
    }: Omit<FoundCollection, "operations" | "views" | "path" | "name" | "isSingle"> & {
      readonly isSingle?: boolean;
    },
    { name }: PathHint,
  ): FoundCollection {
    const { path } = parts.item;
    return {
      operations,
      views: [],
      isSingle,
      ...parts,
      name,
      path: isRecordPath(path) ? listPathOf(path) : normalizePath(path),
    };
  }
}

// Whether a list below a record, or below a collection, has records of that or another one: by their schema, or by its name, such as
// `/groups/{id}/users` those of `/users/{id}`. Beside each other, `/countries` and `/states` can have one schema.
function isCopyOf({ record, path }: FoundCollection, listed: RecordSchema, place: string): boolean {
  const isNamed = lastSegment(path) === lastSegment(place) && parametersOf(path).length < parametersOf(place).length;
  const isBelow = parametersOf(place).length > 0 || place.startsWith(`${path}/`);
  return (record.pointer === listed.pointer && isBelow) || isNamed;
}

// A list whose records have no path, as if they had one.
function withId(list: Operation): Operation {
  return { ...list, path: `${normalizePath(list.path)}/{id}`, parameterParts: [] };
}

// Whether a GET returns what a service has once, such as `/me`, which no operation of the document changes.
function isImportedSingle(get: Operation, { propertyNames }: RecordSchema): boolean {
  const name = lastSegment(get.path);
  const isTop = parametersOf(get.path).length === 0 && normalizePath(get.path).split("/").length <= 3;
  const isNamed = meaningOf(singleNames, name) ?? (isTop && settingsNames.test(toSnakeCase(name)));
  return isNamed && propertyNames.length > 0 && queryOf(get).length === 0;
}

// Whether a GET is said to return several records, although its schema is that of one, which has no array.
function isSpokenList({ path, part }: Operation, response: RecordSchema): boolean {
  const { summary = "", description = "" } = Object(part.value) as Readonly<Record<string, unknown>>;
  const name = lastSegment(path);
  const hasArray = response.propertyNames.some((one) => itemSchemas(response.property(one)) !== undefined);
  const isOne = hasArray || singularOf(name) === name || settingsNames.test(toSnakeCase(name));
  return !isOne && spokenList.test(`${summary || description}`);
}

function hasUrl({ propertyNames }: RecordSchema): boolean {
  return propertyNames.some((name) => name === "_links" || meaningOf(urlNames, name));
}

// Whether a GET of a path with an id computes what it returns, or lists what is below the id.
function isComputed(get: Operation, response: RecordSchema): boolean {
  const isPage = queryOf(get).some((part) => pageRoleOf(part, response, 1, get) !== undefined);
  return isPage || isComputedPath(get.path);
}

function isComputedPath(path: string): boolean {
  return path.split("/").some((one) => !one.startsWith("{") && computedNames.test(toSnakeCase(one)));
}

// A part of a record in JSON:API.
const relationshipsPath = /\}\/relationships\//;

// Parameters take whole segments.
const singlePath = /^(?:\/(?:[^{}/]+|\{[^{}/]+\}))*\/[^{}/]+$/;
const itemPath = /^(?:\/(?:[^{}/]+|\{[^{}/]+\}))*\/[^{}/]+\/\{[^{}/]+\}$/;
