// A collection of the plan, as records are made, found and read by it.
import { isObject, parseJson } from "../../lib/index.ts";
import { type Document, type Operation, Query } from "../../openapi/index.ts";
import {
  type Collection,
  defaultMaxBytes,
  type Filter,
  findHighest,
  findKeyProblem,
  makeId,
  maxImportedNumber,
  type RecordId,
  scopeFilter,
  toAddress,
  toScope,
  type ViewColumn,
} from "../../store/index.ts";
import type { CollectionPlan, IdPlan, OperationKind } from "./collection-plan.ts";
import { PlaceNames } from "./place-names.ts";
import { RecordSchema } from "./record-schema.ts";
import { valueType } from "./schema-nodes.ts";

/** The maximum length of a scope in characters, so that an id of 100 characters fits behind it. */
export const maxScopeLength = 400;

/** The filter by the owner of a record. Its name is that of no parameter of a query. */
export const ownerFilter = { name: "/owner", contains: false, isLong: false } as const;

/** The filter by the other id that the path of a record can have, see `IdPlan.other`. */
export const otherIdFilter = { name: "/other-id", contains: false, isLong: true, type: "string" } as const;

/** The id of a single record in the store. */
export const singleId = "-";

/** A collection of records of the document. */
export class Resource {
  readonly plan: CollectionPlan;
  readonly name: string;
  readonly path: string;
  readonly isSingle: boolean;
  readonly parameter: string;
  readonly recordName: string;
  readonly record: RecordSchema;
  readonly newRecord: RecordSchema;
  readonly idPath: readonly string[];
  /** What a store knows of it. */
  readonly collection: Collection;
  readonly operations: Readonly<Partial<Record<OperationKind, Operation>>>;
  /** An operation at the path of a record: the GET, if there is one. If there is no such path, the list. */
  readonly item: Operation;
  readonly scopeParameters: readonly string[];
  /** An id of a record, as a response has it. */
  readonly exampleId: number | string;
  /** The names of the members of an exported record with its scope, and with an id that only its path has. */
  readonly placeNames: PlaceNames;
  /** The maximum size of a new record in bytes; undefined if the document has none. */
  readonly maxBytes: number | undefined;
  #highestId: bigint | undefined;
  #validate: ReturnType<RecordSchema["createValidator"]> | undefined;

  constructor(document: Document, plan: CollectionPlan) {
    const { name, path, isSingle, parameter, recordName, id, scope, recordPath } = plan;
    this.plan = plan;
    this.name = name;
    this.path = path;
    this.isSingle = isSingle;
    this.parameter = parameter;
    this.recordName = recordName;
    this.record = RecordSchema.of(document, { pointer: plan.record });
    this.newRecord = RecordSchema.of(document, { pointer: plan.newRecord });
    this.idPath = id.path;
    const ids = new Set(Object.values(plan.operations));
    const operations = new Map(document.operations.flatMap((one) => (ids.has(one.id) ? [[one.id, one]] : [])));
    this.operations = Object.fromEntries(
      Object.entries(plan.operations).map(([kind, operationId]) => [kind, operations.get(operationId)]),
    );
    const { get, list, create, replace, update, delete: remove } = this.operations;
    const others = [get, replace, update, remove, list];
    this.item = others.find((one) => one?.path === recordPath) as Operation;
    this.scopeParameters = scope.map((one) => one.parameter);
    this.exampleId = exampleIdOf(this.record, id);
    const isScoped = scope.length > 0;
    this.placeNames = new PlaceNames(this.record, this.newRecord, { isScoped, hasId: isSingle || id.path.length > 0 });
    this.maxBytes = (create ?? replace)?.body?.maxBytes;
    const maxBytes = findMaxBytes(create || replace ? [create, replace].filter((one) => one) : [update]);
    this.collection = {
      name,
      id: id.path.length === 1 ? id.path[0] : undefined,
      idType: id.type,
      ...(id.type === "string" ? { idForm: id.form, idPrefix: id.prefix } : { highestId: () => this.highestId }),
      schema: () => this.record.hash,
      ...(isScoped && { isScoped }),
      ...(this.isImported && { isOptional: true }), // earlier releases did not have it
      properties: this.record.propertyNames,
      ...(maxBytes !== undefined && { maxBytes }),
      filters: [
        ...(isScoped ? [scopeFilter] : []),
        ...plan.filters,
        ...(id.other !== undefined ? [{ ...otherIdFilter, property: id.other }] : []),
        ...(plan.owner ? [{ ...ownerFilter, property: plan.owner.property, type: plan.owner.type }] : []),
      ],
      ...(plan.indexes.length > 0 && { indexes: plan.indexes }),
      uniques: plan.uniques ?? [],
      references: plan.references ?? [],
    };
  }

  /** Whether no operation creates or changes its records, so that they are imported. */
  get isImported(): boolean {
    return this.plan.creation === undefined && (!this.isSingle || this.operations.update === undefined);
  }

  /** Whether a record has a path of its own, with its id. */
  get hasRecordPath(): boolean {
    return this.parameter !== "";
  }

  /** The name of the property with the id; one that no property has if it is at a deeper place. */
  get idName(): string {
    return this.collection.id ?? "\0";
  }

  /** The columns of its view. */
  get columns(): readonly ViewColumn[] {
    const { propertyNames } = this.record;
    return propertyNames.map((name) => ({ name, type: valueType(this.record.property(name)) ?? "json" }));
  }

  /** Returns whether the path of a record can have an id, as the GET reads it. A single record has none. */
  canFind(id: string): boolean {
    return !this.hasRecordPath || findUnreadable(this.item, { [this.parameter]: id }).length === 0;
  }

  /** The highest integer that can be the id of a record, by its schema and that of the path. */
  get highestId(): bigint {
    const isAllowed = (id: bigint) => this.canFind(`${id}`) && this.record.acceptsAt(this.idPath, parseJson(`${id}`));
    this.#highestId ??= findHighest(isAllowed);
    return this.#highestId;
  }

  /** The highest integer that a request can choose for a new record. As many can follow, if the server makes ids, too. */
  get highestChosenId(): bigint {
    return this.plan.id.isRequired ? this.highestId : (this.highestId + 1n) / 2n;
  }

  /** Returns the id that a record has; undefined if it has none. */
  idIn(record: unknown): unknown {
    if (this.idPath.length === 0) return undefined;
    const read = (value: unknown, name: string) =>
      Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined;
    return this.idPath.reduce<unknown>(read, record);
  }

  /** Returns the id that the body of a creation has; undefined if it has none. */
  sentIdIn(body: unknown): unknown {
    const { member, isSent } = this.plan.id;
    const isReadOnly = !isSent && this.record.at(this.idPath).some(({ schema }) => schema.readOnly === true);
    if (member === undefined && isReadOnly) return undefined; // clients send back what they have read
    return member === undefined ? this.idIn(body) : (body as Readonly<Record<string, unknown>>)[member];
  }

  /** Returns a record with an id, if the store does not write it. */
  withId(record: object, id: unknown): object {
    const [outer, inner] = this.idPath;
    if (outer === undefined || inner === undefined) return record;
    return { ...record, [outer]: { ...Object((record as Readonly<Record<string, unknown>>)[outer]), [inner]: id } };
  }

  /** Returns the members of a record, or of the body of a request, that are in no response. */
  privateOf(record: unknown): object {
    const names = (this.plan.private ?? []).filter((name) => isObject(record) && Object.hasOwn(record, name));
    return Object.fromEntries(names.map((name) => [name, (record as Readonly<Record<string, unknown>>)[name]]));
  }

  /** Returns a record without the members that are in no response. */
  withoutPrivate(record: object): object {
    const { private: names } = this.plan;
    return names ? Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))) : record;
  }

  /** The validation of a stored record, which also converts it. Compiles the schema at its first use, which is expensive. */
  get validate(): ReturnType<RecordSchema["createValidator"]> {
    this.#validate ??= this.#createValidator();
    return this.#validate;
  }

  #createValidator(): ReturnType<RecordSchema["createValidator"]> {
    const validate = this.record.createValidator("response");
    if (this.plan.private === undefined) return validate;
    return (record, noun) => {
      const checked = validate(isObject(record) ? this.withoutPrivate(record) : record, noun);
      return checked.problem ? checked : { value: { ...checked.value, ...this.privateOf(record) } };
    };
  }

  /** Returns a record with an id, if it has none: one that looks like those of the store. */
  withExampleId(record: object): object {
    if (this.idIn(record) !== undefined) return record;
    const { id } = this.collection;
    return id === undefined ? this.withId(record, this.exampleId) : { [id]: this.exampleId, ...record };
  }

  /** Returns the members of a new record that its path has, such as `shop_id` of `/shops/{shop_id}/books`. */
  membersOfScope(values: readonly (string | bigint | number)[]): Readonly<Record<string, unknown>> {
    const members = this.plan.scope.flatMap(({ member }, index) => {
      if (member === undefined) return [];
      const text = `${values[index]}`;
      const forms = [text, ...(/^(0|[1-9]\d*)$/.test(text) ? [parseJson(text)] : [])];
      return forms.filter((value) => this.record.accepts(member, value)).map((value) => [member, value] as const);
    });
    return Object.fromEntries(members);
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
    if (!this.canFind(`${id}`)) return `must match the schema of the parameter ${this.parameter} of its path`;
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
      const inPath = this.plan.scope.flatMap((one, index) =>
        one.in === "header" ? [] : [[one.parameter, decoded[index] as string]],
      );
      const [wrong] = findUnreadable(this.item, Object.fromEntries(inPath));
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

/** Returns an id of a record: one that the store makes, or the first that the schema lists. */
export function exampleIdOf(
  record: RecordSchema,
  { path, type, form, prefix }: Pick<IdPlan, "path" | "type" | "form" | "prefix">,
) {
  const listed = record.at(path).flatMap(({ schema }) => (schema.enum ?? []) as string[]);
  return type === "int64" ? 1 : (listed[0] ?? makeId(form, prefix));
}

/** Returns the names of the parameters of the path of an operation that can't have these values. */
export function findUnreadable({ parameters }: Operation, values: Readonly<Record<string, string>>): readonly string[] {
  const { error } = parameters.path?.readValues(values) ?? {};
  return error?.details?.map(({ name }) => name).filter((name) => Object.hasOwn(values, name)) ?? [];
}

// The maximum size of the largest of bodies, in bytes; undefined for the default of all bodies.
function findMaxBytes(operations: readonly (Operation | undefined)[]): number | undefined {
  const limits = operations.map((one) => one?.body?.maxBytes);
  const largest = Math.max(...limits.map((limit) => limit ?? defaultMaxBytes));
  return limits.includes(undefined) && largest === defaultMaxBytes ? undefined : largest;
}
