// A resource: a collection of the document, at whose path records are created and listed, and below which each has its own.
import { parseJson } from "../../lib/index.ts";
import { type Operation, Query } from "../../openapi/index.ts";
import {
  type Collection,
  defaultMaxBytes,
  type Filter,
  findHighest,
  findKeyProblem,
  type IdForm,
  idForms,
  maxImportedNumber,
  type RecordId,
  scopeFilter,
  toAddress,
  toScope,
  type ViewColumn,
} from "../../store/index.ts";
import { makeInitial } from "../record/record-maker.ts";
import { type RecordSchema, valueType } from "../record/record-schema.ts";
import { isRecordPath, listPathOf, normalizePath, parametersOf, queryOf } from "./bodies-and-parameters.ts";
import { readFilters } from "./filters.ts";
import type { Id } from "./find-id.ts";
import { PlaceNames } from "./place-names.ts";

/** The maximum length of a scope in characters, so that an id of 100 characters fits behind it. */
export const maxScopeLength = 400;

/** The id of a single record in the store. */
export const singleId = "-";

/** The parameters of a list that select a page. */
const pageParameters = ["limit", "cursor"];

/** The operations of a collection. It has `create`, or `replace`, which then creates records, too. Without both, records are imported. */
export interface ResourceOperations {
  readonly create: Operation | undefined;
  readonly get: Operation | undefined;
  readonly list: Operation | undefined;
  readonly replace: Operation | undefined;
  readonly update: Operation | undefined;
  readonly delete: Operation | undefined;
}

/** A collection of records of the document. */
export class Resource {
  readonly operations: ResourceOperations;
  /** An operation at the path of a record: the GET, if there is one. If there is no such path, the list. */
  readonly item: Operation;
  /** Whether it is one record, and no collection. */
  readonly isSingle: boolean;
  readonly record: RecordSchema;
  readonly newRecord: RecordSchema;
  /** An id of a record, as a response has it. */
  readonly exampleId: number | string;
  readonly #id: Id;
  #collection: Collection;
  #highestId: bigint | undefined;
  /** The names that lead to the id in a record: of its property, or of an object and a property of it. Empty if a record has none. */
  readonly idPath: readonly string[];
  /** The names of the members of an exported record with its scope, and with an id that only its path has. */
  readonly placeNames: PlaceNames;
  /** The parameters of the list that neither select a page nor name a property: no store can apply them. */
  readonly unknownParameters: readonly string[];

  constructor(operations: ResourceOperations, { item, isSingle = false, record, newRecord, id }: ResourceParts) {
    this.operations = operations;
    this.item = item;
    this.isSingle = isSingle;
    this.record = record;
    this.newRecord = newRecord;
    this.idPath = id.path;
    this.#id = id;
    const { list } = operations;
    const idForm = id.type === "string" ? this.#findIdForm(id.path) : undefined;
    this.exampleId = id.type === "int64" ? 1 : idForms[idForm ?? "uuid"]();
    const filters = list ? readFilters(list, record, this.exampleId) : [];
    const isScoped = this.scopeParameters.length > 0;
    const maxBytes = this.#maxRecordBytes;
    this.#collection = {
      name: "",
      id: id.path.length === 1 ? id.path[0] : undefined,
      idType: id.type,
      ...(id.type === "string" ? { idForm } : { highestId: () => this.highestId }),
      schema: () => record.hash,
      ...(isScoped && { isScoped }),
      ...(this.isImported && { isOptional: true }), // earlier releases did not have it
      properties: record.propertyNames,
      ...(maxBytes !== undefined && { maxBytes }),
      filters: isScoped ? [scopeFilter, ...filters] : filters,
    };
    this.placeNames = new PlaceNames(record, newRecord, { isScoped, hasId: id.path.length > 0 });
    const known = [...pageParameters, ...filters.map(({ name }) => name)];
    this.unknownParameters = (list ? queryOf(list) : []).flatMap(({ value: { name } }) =>
      known.includes(name) ? [] : [name],
    );
  }

  // Returns the first form of ids that the schema of a record allows, and that of the parameter of its path.
  #findIdForm(path: readonly string[]): IdForm | undefined {
    const forms = Object.entries(idForms).map(([form, make]) => ({ form: form as IdForm, sample: make() }));
    return forms.find(({ sample }) => this.record.acceptsAt(path, sample) && this.canFind(sample))?.form;
  }

  /** What a store knows of it. */
  get collection(): Collection {
    return this.#collection;
  }

  /** Returns whether the path of a record can have an id, as the GET reads it. A single record has none. */
  canFind(id: string, scope: readonly string[] = this.scopeParameters.map(() => "1")): boolean {
    return !this.hasRecordPath || !this.#findUnreadable([...scope, id]).includes(this.parameter);
  }

  /** The highest integer that can be the id of a record, by its schema and that of the path. */
  get highestId(): bigint {
    const isAllowed = (id: bigint) => this.canFind(`${id}`) && this.record.acceptsAt(this.idPath, parseJson(`${id}`));
    this.#highestId ??= findHighest(isAllowed);
    return this.#highestId;
  }

  /** The highest integer that a request can choose for a new record. As many can follow, if the server makes ids, too. */
  get highestChosenId(): bigint {
    return this.newRecord.required.includes(this.idPath.join(".")) ? this.highestId : (this.highestId + 1n) / 2n;
  }

  // Returns the names of the parameters of the path of a record that can't have these values, which are in the order of the path.
  #findUnreadable(values: readonly string[]): readonly string[] {
    const { error } = this.item.parameters.path?.readValues(values) ?? {};
    return error?.details?.map(({ name }) => name) ?? [];
  }

  /** Whether a record has a path of its own, with its id. */
  get hasRecordPath(): boolean {
    return isRecordPath(this.item.path);
  }

  /** Whether no operation creates its records, so that they are imported. */
  get isImported(): boolean {
    const { create, replace } = this.operations;
    return !this.isSingle && create === undefined && replace === undefined;
  }

  /** The path of the collection, or of the only record. */
  get path(): string {
    return this.hasRecordPath ? listPathOf(this.item.path) : normalizePath(this.item.path);
  }

  /** Returns whether a path is that of a property of its records. */
  hasPart(path: string): boolean {
    const [place, own] = [normalizePath(path), normalizePath(this.item.path)];
    const canHave = this.isSingle || this.hasRecordPath;
    return canHave && place.startsWith(`${own}/`) && this.record.propertyNames.includes(place.slice(own.length + 1));
  }

  /** What the only record is until it is changed: its required members, and those with a default. Undefined if PUT must create it. */
  get initial(): object | undefined {
    const { get, replace, delete: remove } = this.operations;
    const isOptional = remove !== undefined || get?.part.at("responses")?.at("404") !== undefined;
    return !this.isSingle || (replace && isOptional) ? undefined : makeInitial(this.record);
  }

  /** The parameter of the path with the id of a record. Empty if there is none. */
  get parameter(): string {
    return this.hasRecordPath ? (parametersOf(this.item.path).at(-1) as string) : "";
  }

  /** The property with the id; a name that no property has if it is at a deeper place. */
  get idName(): string {
    return this.collection.id ?? "\0";
  }

  /** Whether the property with the id is named like the parameter of the path, or `id`. Others are likely only. */
  get hasUsualId(): boolean {
    const { isGiven = false, isConverted = false } = this.#id;
    return isGiven || (!isConverted && [this.parameter, "id"].includes(this.idPath.join(".")));
  }

  /** The parameters of the path that select the scope of a record, such as `shop` of `/shops/{shop}/books`. */
  get scopeParameters(): readonly string[] {
    return parametersOf(this.path);
  }

  /** The path of the record to which the scope belongs, such as `/shops/{shop}`; undefined if there is no scope. */
  get parentPath(): string | undefined {
    return /^.*\}(?=\/)/.exec(this.path)?.[0];
  }

  /** The name: its path, such as `pets` or `store_orders`. It is given when all resources of the document are known. */
  get name(): string {
    return this.collection.name;
  }

  set name(name: string) {
    this.#collection = { ...this.#collection, name };
  }

  /** The name of one record, such as `pet`. */
  get recordName(): string {
    const segment = this.path.slice(this.path.lastIndexOf("/") + 1);
    return (this.record.name ?? segment.replace(/s$/, "")).replaceAll(/(?<=[a-z])(?=[A-Z])|\W+/g, "_").toLowerCase();
  }

  /** The columns of its view. */
  get columns(): readonly ViewColumn[] {
    const { propertyNames } = this.record;
    return propertyNames.map((name) => ({ name, type: valueType(this.record.property(name)) ?? "json" }));
  }

  // That of the largest body with a whole record; undefined for the default of all bodies.
  get #maxRecordBytes(): number | undefined {
    const { create, replace, update } = this.operations;
    const whole = [create, replace].filter((one) => one !== undefined);
    const limits = (whole.length > 0 ? whole : [update]).map((one) => one?.body?.maxBytes);
    const largest = Math.max(...limits.map((limit) => limit ?? defaultMaxBytes));
    return limits.includes(undefined) && largest === defaultMaxBytes ? undefined : largest;
  }

  /** The maximum size of a new record in bytes; undefined if the document has none. */
  get maxBytes(): number | undefined {
    const { create, replace } = this.operations;
    return (create ?? replace)?.body?.maxBytes;
  }

  /** Whether a new record can have the id. */
  get takesId(): boolean {
    const schemas = this.idPath.length === 0 ? [] : this.newRecord.at(this.idPath).map(({ schema }) => schema);
    return schemas.length > 0 && !schemas.some(({ readOnly }) => readOnly === true);
  }

  /** Returns the id that a record has; undefined if it has none. */
  idIn(record: unknown): unknown {
    if (this.idPath.length === 0) return undefined;
    return this.idPath.reduce<unknown>((value, name) => Object(value)[name], record);
  }

  /** Returns a record with an id, if the store does not write it. */
  withId(record: object, id: unknown): object {
    const [outer, inner] = this.idPath;
    if (outer === undefined || inner === undefined) return record;
    return { ...record, [outer]: { ...Object((record as Readonly<Record<string, unknown>>)[outer]), [inner]: id } };
  }

  /** Returns a record with an id, if it has none: one that looks like those of the store. */
  withExampleId(record: object): object {
    if (this.idIn(record) !== undefined) return record;
    const { id } = this.collection;
    return id === undefined ? this.withId(record, this.exampleId) : { [id]: this.exampleId, ...record };
  }

  /** Returns the address of a record in the store, in a scope; 0, which no record has, if the id is not a number of the store. */
  addressAt(scope: readonly (string | bigint | number)[], id: RecordId): RecordId {
    const own = this.isSingle ? singleId : `${id}`;
    const { idType, isScoped } = this.collection;
    if (isScoped) return toAddress(toScope(scope), own);
    if (idType === "string") return own;
    return /^[1-9]\d{0,18}$/.test(own) && BigInt(own) < 2n ** 63n ? BigInt(own) : 0n;
  }

  /** Returns why a value can't be an id of a record, in a scope. Completes a sentence; undefined if it can. */
  findIdProblem(id: unknown, scope?: readonly string[]): string | undefined {
    const isInteger = /^[1-9]\d{0,18}$/.test(`${id}`) && BigInt(id as number) <= maxImportedNumber;
    const keyProblem = this.collection.idType === "string" ? findKeyProblem(`${id}`) : undefined;
    if (keyProblem !== undefined) return keyProblem;
    if (this.collection.idType === "int64" && !isInteger) return `must be an integer from 1 to ${maxImportedNumber}`;
    if (!this.canFind(`${id}`, scope)) return `must match the schema of the parameter ${this.parameter} of its path`;
    return this.collection.isScoped && scope ? findKeyProblem(toAddress(toScope(scope), `${id}`)) : undefined;
  }

  /**
   * Reads the values of the parameters of its path from a text such as `acme/7`, in which each is percent-encoded. Returns what is wrong
   * with it otherwise.
   */
  readScope(text: string): { values: readonly string[] } | { problem: string } {
    const values = text === "" ? [] : text.split("/");
    if (text.length > maxScopeLength) return { problem: `must have at most ${maxScopeLength} characters` };
    if (values.length !== this.scopeParameters.length || values.includes(""))
      return {
        problem: `must have the values of ${this.path}: ${this.scopeParameters.map((one) => `<${one}>`).join("/")}`,
      };
    try {
      const decoded = values.map(decodeURIComponent);
      const [wrong] = this.#findUnreadable([...decoded, ""]).filter((name) => this.scopeParameters.includes(name));
      if (wrong === undefined) return { values: decoded };
      return { problem: `must match the schema of the parameter ${wrong} of ${this.path}` };
    } catch {
      return { problem: `must have values of ${this.path} in percent-encoded UTF-8` };
    }
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

/** What a resource consists of, beside its operations. */
export interface ResourceParts {
  readonly item: Operation;
  readonly isSingle?: boolean;
  readonly record: RecordSchema;
  readonly newRecord: RecordSchema;
  readonly id: Id;
}
