// What the handlers of a collection share: the id of a request, its preconditions, and its errors.
import { HttpError, InvalidRequest } from "../../http/index.ts";
import { type Checked, isObject, parseJson, RawJson, toJson } from "../../lib/index.ts";
import type { UntypedCall } from "../../openapi/index.ts";
import {
  type IdempotencyKey,
  type RecordId,
  type RecordStore,
  removeWithBelow,
  type Store,
  toScope,
} from "../../store/index.ts";
import type { PlannedAction, PlannedOperation } from "../recognition/plan.ts";
import type { RecordEnvelope } from "../recognition/responses/envelopes.ts";
import { callerForms } from "../record/member-sources.ts";
import { RecordMaker } from "../record/record-maker.ts";
import { RecordSchema } from "../record/record-schema.ts";
import { maxScopeLength, type Resource } from "../record/resource.ts";
import { recordUrl } from "../record/url-placeholders.ts";
import { notFound, type Parent, requireAbove } from "./parent-check.ts";
import { addRecord, type PlacedRecord } from "./place-record.ts";
import { callerId } from "./requests/caller.ts";
import { applyMask } from "./requests/patches.ts";
import { invalidBody, parameterOf, requireUnderstood, storeFull } from "./requests/request.ts";
import { RequestPlace } from "./requests/request-place.ts";
import { ResponseShape, type ShapePlan } from "./responses/response-shape.ts";
import { writeRecord } from "./responses/write-body.ts";

export interface AccessOptions {
  readonly resource: Resource;
  readonly store: Pick<Store, "records" | "transaction">;
  /** All collections, by name. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The public URL of the API. */
  readonly baseUrl: string;
  /** The collections whose records must exist above those of this one, from the lowest to the highest. */
  readonly above: readonly Parent[];
  /** The names of the collections whose records are below those of this one, from the highest to the lowest. */
  readonly below: readonly string[];
  /** Returns whether no operation creates the records of a collection, so that they are imported. */
  readonly isImported: (collection: string) => boolean;
  /** How the GET responds with a record, from which its ETag is computed. */
  readonly read: RecordEnvelope;
}

/** The records of a collection, as the handler of an operation uses them. */
export class CollectionAccess {
  readonly resource: Resource;
  readonly records: RecordStore;
  readonly action: PlannedAction;
  readonly maker: RecordMaker | undefined;
  /** What a single record is until it is changed. */
  readonly initial: RawJson<unknown> | undefined;
  /** Where its requests are. */
  readonly place: RequestPlace;
  readonly #options: AccessOptions;
  // The record before a change, as it is stored, and as the GET returns it.
  readonly #before = new WeakMap<UntypedCall, { readonly text: string; readonly whole: RawJson<unknown> }>();

  constructor({ path, does: action }: PlannedOperation & { readonly does: PlannedAction }, options: AccessOptions) {
    const { resource, store } = options;
    this.place = new RequestPlace(path, resource, action.within, options.baseUrl);
    this.#options = options;
    this.action = action;
    this.maker = action.body && new RecordMaker(resource, action.body);
    const { initial } = resource.plan;
    this.initial = initial && new RawJson(toJson(initial));
    this.resource = resource;
    this.records = store.records(resource.name);
  }

  /** Returns what a request has of a record. */
  bodyOf({ body = {} }: UntypedCall): object {
    const member = this.action.body?.member;
    const found = member === undefined ? body : Object(body)[member];
    if (found === undefined) return {};
    if (isObject(found)) return this.#rename(found);
    throw invalidBody(member ?? "", "A record must be an object.");
  }

  // Returns what a request has of a record by the names of the record.
  #rename(sent: object): object {
    const { names = {} } = this.maker?.body ?? {};
    const twice = Object.entries(names).find((both) => both.every((name) => Object.hasOwn(sent, name)));
    if (twice) throw invalidBody(twice[0], `A request can have ${twice.join(" or ")}, and not both.`);
    return this.maker?.body.rename(sent) ?? sent;
  }

  #sentName(name: string): string {
    return this.maker?.body.ownName(name) ?? name;
  }

  /** Returns the id that a query chooses for a new record; undefined if it chooses none. */
  idParameterOf({ query }: UntypedCall): unknown {
    const { idParameter } = this.action;
    return idParameter === undefined ? undefined : (query as Readonly<Record<string, unknown>>)[idParameter];
  }

  /** Returns whether a request has a field mask. */
  hasMask({ query }: UntypedCall): boolean {
    const { maskParameter } = this.action;
    return maskParameter !== undefined && Boolean((query as Readonly<Record<string, unknown>>)[maskParameter]);
  }

  /** Returns the members of a patch that the mask of a request has. A member of the mask that the patch does not have is removed. */
  maskOf({ query }: UntypedCall, patch: object): object {
    const { maskParameter } = this.action;
    const mask = maskParameter === undefined ? undefined : (query as Readonly<Record<string, unknown>>)[maskParameter];
    if (mask === undefined || maskParameter === undefined) return patch;
    return applyMask(patch, [mask].flat().join(","), maskParameter, this.resource.record);
  }

  /** Returns the members of a stored record. It can be nested more deeply than a new one. */
  membersOf({ text }: RawJson<unknown>): Readonly<Record<string, unknown>> {
    return parseJson(text, Number.POSITIVE_INFINITY) as Readonly<Record<string, unknown>>;
  }

  /** Returns what a request makes of a record, with the read-only members that it had before. A new record has none. */
  keepReadOnly(before: object | undefined, after: object): object {
    return this.resource.record.keepReadOnly(before, after, this.maker?.body);
  }

  /** Throws an HttpError if a request has what is not understood, or if the record does not exist to which its scope belongs. */
  async check(call: UntypedCall): Promise<void> {
    requireUnderstood(call, this.action);
    this.#shapeOf(call); // what it selects is known, before anything is changed
    const scope = this.place.scopeValuesOf(call);
    if (scope.includes(".") || scope.includes("..") || toScope(scope).length > maxScopeLength)
      throw new InvalidRequest([
        {
          location: "path",
          name: this.resource.parameter,
          message: "The path is too long to have records, or has . or .. as a segment.",
        },
      ]);
    const { above, store } = this.#options;
    if (above.length > 0) await requireAbove(above, this.place.valuesAbove(call), store.records);
    const isChange = !["create", "get", "list"].includes(this.action.kind);
    const before = this.action.embedded && isChange ? await this.records.find(this.place.addressOf(call)) : undefined;
    if (before) this.#before.set(call, { text: before.text, whole: await this.whole(call, before) });
  }

  /**
   * Returns the new record of a request, with its URL, if it has some and is known. Throws an HttpError if it does not match its schema.
   */
  makeNew(call: UntypedCall, body: object, embedded: object, url = recordUrl): object {
    const isKnown = call.caller !== undefined || this.resource.plan.owner !== undefined;
    const caller = isKnown ? callerForms(callerId(call.caller)) : undefined;
    const place = this.requirePlace(call, body);
    if (this.maker)
      return this.withPrivate(call, this.requireValid(this.maker.create(body, place, { url, caller, embedded }), body));
    return { ...place, ...this.keepReadOnly(undefined, body) };
  }

  /** Returns a record with what a request says that is in no response. */
  withPrivate(call: UntypedCall, record: object): object {
    if (this.resource.plan.private === undefined || !isObject(call.body)) return record;
    return { ...record, ...this.resource.privateOf(this.bodyOf(call)) };
  }

  /**
   * Returns the records whose ids a request has in place of them, by the names of its members. Throws an InvalidRequest if one does not
   * exist. As long as none are imported, a record has the id alone, if it can.
   */
  async embeddedOf(call: UntypedCall, read: () => object): Promise<object> {
    const { resources, store } = this.#options;
    const members = Object.entries(this.action.embedded ?? {});
    if (members.length === 0 || Array.isArray(call.body)) return {};
    const body = read() as Readonly<Record<string, unknown>>;
    const scope = this.place.scopeValuesOf(call);
    const found = members.map(async ([member, collection]) => {
      const value = body[member];
      const ids = [value].flat();
      if (ids.some((id) => ["object", "undefined"].includes(typeof id) || id === "")) return [];
      const other = resources.get(collection) as Resource;
      const find = async (id: unknown) => {
        const above = scope.slice(0, other.scopeParameters.length);
        const isId = other.findIdProblem(id, above) === undefined;
        const record = isId ? await store.records(collection).find(other.addressAt(above, `${id}`)) : undefined;
        if (record !== undefined) return this.membersOf(record);
        const isWhole = this.maker?.findOpaque({ [member]: value }) !== undefined;
        if (!isWhole && (await this.#lacksImport(collection))) return undefined;
        await this.requireImported(collection);
        throw invalidBody(this.#sentName(member), `No ${other.recordName} has the id ${id}.`);
      };
      const all = await Promise.all(ids.map(find));
      return all.includes(undefined) ? [] : [[member, Array.isArray(value) ? all : all[0]] as const];
    });
    return Object.fromEntries((await Promise.all(found)).flat());
  }

  /** Returns the members that the path of a request has. Throws an InvalidRequest if what a request makes of a record has others. */
  requirePlace(call: UntypedCall, record: object): Readonly<Record<string, unknown>> {
    const place = this.place.membersOf(call);
    for (const [name, value] of Object.entries(place)) {
      const own = Object.hasOwn(record, name) ? (record as typeof place)[name] : value;
      if (`${own}` !== `${value}`)
        throw invalidBody(name, `The property ${name} must be that of the path, ${value}, or be left out.`);
    }
    return place;
  }

  /** Returns a record that was made of a body. Throws an HttpError if it does not match its schema. */
  requireValid({ value, problem }: Checked<object>, body: object): object {
    if (problem === undefined) return value;
    const opaque = this.maker?.findOpaque(body);
    const other = this.maker?.body.required.includes(`${opaque}`) ? "it with another value" : "the request without it";
    if (opaque !== undefined)
      throw new HttpError(
        "not_implemented",
        `The value of ${this.#sentName(opaque)} does not match its schema in the ${this.resource.recordName} of a response, and can't be converted. Send ${other}.`,
      );
    const subject = problem.path === "" ? "it" : `its property ${problem.path}`;
    const canSend = problem.path === "" && this.maker?.body.canHave(`${problem.part}`);
    throw new HttpError(
      "not_implemented",
      `The ${this.resource.recordName} that this request makes does not match its schema: ${subject} ${problem.requirement}.${canSend ? ` Send the request with ${this.#sentName(`${problem.part}`)}.` : ""}`,
    );
  }

  /** Returns a record that a request has changed. Throws an InvalidRequest if it does not match its schema any more. */
  requireAllowed({ value, problem }: Checked<object>): object {
    if (problem === undefined) return value;
    const { recordName } = this.resource;
    const subject = problem.path === "" ? `The ${recordName}` : `The property ${problem.path} of the ${recordName}`;
    throw invalidBody(
      this.#sentName(problem.part ?? problem.path),
      `${subject} ${problem.requirement}, also after the change.`,
    );
  }

  /** Returns the response with a record. `shown` is what it has of it: the ETag is that of the whole record, which a change compares. */
  write(call: UntypedCall, record: RawJson<unknown>, status = this.action.status, shown = record) {
    const envelope = this.action.envelopes[status];
    const isTagged = this.action.headers.etag || shown !== record;
    const tag = isTagged ? call.tagOf(writeRecord(this.#options.read, record)) : undefined;
    const headers: Readonly<Record<string, string>> = tag === undefined ? {} : { ETag: tag };
    return { status, headers, ...(envelope && { body: writeRecord(envelope, this.#withEchoed(call, shown)) }) };
  }

  // A record in a response, with what only this response has of the request. Values that it can't have are left out.
  #withEchoed(call: UntypedCall, record: RawJson<unknown>): RawJson<unknown> {
    const { echoed } = this.action;
    if (echoed === undefined) return record;
    const response = RecordSchema.of(this.resource.record.document, { pointer: echoed.schema });
    const own = Object.entries(this.bodyOf(call)).filter(
      ([name, value]) => echoed.members.includes(name) && response.accepts(name, value),
    );
    return new RawJson(toJson({ ...this.membersOf(record), ...Object.fromEntries(own) }));
  }

  /** Returns a record, or an array of them, with the members and other records that a request selects. Throws an InvalidRequest. */
  async shape(
    call: UntypedCall,
    records: RawJson<unknown>,
    action: ShapePlan = this.action,
  ): Promise<RawJson<unknown>> {
    const shape = this.#shapeOf(call, action);
    return shape === undefined ? records : shape.apply(records, this.place.scopeValuesOf(call));
  }

  #shapeOf(call: UntypedCall, action: ShapePlan = this.action): ResponseShape | undefined {
    const { resources, store } = this.#options;
    return ResponseShape.of(call, action, { resource: this.resource, resources, records: store.records });
  }

  /** Returns the response with what a request selects of a record, and those that are part of it as they are now. */
  async writeSelected(call: UntypedCall, record: RawJson<unknown>, status = this.action.status) {
    const { fieldsParameter, expansion, embedded } = this.action;
    const selects = fieldsParameter !== undefined || expansion !== undefined;
    if (!selects && embedded === undefined) return this.write(call, record, status);
    const whole = await this.whole(call, record);
    return this.write(call, whole, status, selects ? await this.shape(call, record) : whole);
  }

  /** Returns a whole record, with those that are part of it as they are now. */
  whole(call: UntypedCall, record: RawJson<unknown>): Promise<RawJson<unknown>> {
    return this.shape(call, record, { embedded: this.action.embedded });
  }

  /**
   * Throws an HttpError if records must be imported, and none were: an empty list would be wrong, because other operations can create what
   * it lists.
   */
  async requireImported(name = this.resource.name): Promise<void> {
    if (!(await this.#lacksImport(name))) return;
    throw new HttpError(
      "not_implemented",
      `No operation creates the records of ${name}, and there are none. Import them, such as with openapi-server data import DOCUMENT FILE --resource ${name}, or serve --seed.`,
    );
  }

  async #lacksImport(name: string): Promise<boolean> {
    const { isImported, store } = this.#options;
    return isImported(name) && (await store.records(name).list({ limit: 1 })).last === undefined;
  }

  /** Returns the record of the path. Throws an HttpError if it does not exist. */
  async find(call: UntypedCall): Promise<RawJson<unknown>> {
    const record = (await this.records.find(this.place.addressOf(call))) ?? this.initial;
    if (record !== undefined) return record;
    await this.requireImported();
    throw this.#notFound(call);
  }

  #notFound(call: UntypedCall): HttpError {
    const { recordName, isSingle, parameter } = this.resource;
    return notFound(recordName, isSingle ? "exists" : `has the id ${parameterOf(call, parameter)}`);
  }

  /** Throws an InvalidRequest if a request can't choose an id. */
  requireId(call: UntypedCall, id: string): void {
    const { collection, idPath, highestChosenId: highest } = this.resource;
    const isTooHigh = collection.idType === "int64" && BigInt(id) > highest;
    const tooHigh = isTooHigh ? `must be at most ${highest}, so that the server can make higher ones` : undefined;
    const problem = this.place.findIdProblem(call, id) ?? tooHigh;
    if (problem !== undefined) throw invalidBody(idPath.join("."), `The id ${problem}.`);
  }

  /** Creates a record. Throws an HttpError if another one has its id. */
  create(call: UntypedCall, placed: PlacedRecord, key: IdempotencyKey | undefined) {
    const { recordName } = this.resource;
    const exists = (id: string) =>
      new HttpError({ code: `${recordName}_exists`, status: 409 }, `Another ${recordName} has the id ${id}.`);
    const options = { scope: this.place.scopeValuesOf(call), exists, key };
    const makesUrls = this.maker?.makesUrls ?? false;
    const write = async (records: RecordStore) => {
      const created = await addRecord(records, this.resource, placed, options);
      if (created.outcome !== "created" || !makesUrls) return created;
      const changed = await records.change(created.id, (record) => this.fillUrls(call, created.id, record));
      return changed.outcome === "missing" ? created : { ...created, record: changed.record };
    };
    return this.add(call, write, makesUrls);
  }

  /** Returns the members of a record with its URLs, see `RecordMaker.fillUrls`. */
  fillUrls(call: UntypedCall, address: RecordId, record: RawJson<unknown>): object {
    const members = this.membersOf(record);
    return this.maker?.fillUrls(members, this.place.absoluteUrlOf(call, address)) ?? members;
  }

  /** Throws an HttpError unless a request may change a record. */
  checkPreconditions(call: UntypedCall, record: RawJson<unknown> | undefined): void {
    const before = this.#before.get(call);
    const whole = before && before.text === record?.text ? before.whole : record;
    const body = whole && writeRecord(this.#options.read, whole);
    const matches = call.ifMatch(body);
    if (matches === undefined && this.action.requiresMatch && record)
      throw new HttpError(
        { code: "precondition_required", status: 428 },
        `Send the ETag of the ${this.resource.recordName}, which a GET returns, in If-Match.`,
      );
    if (matches === false || call.ifNoneMatch(body) === false)
      throw new HttpError(
        "precondition_failed",
        `The ${this.resource.recordName} has changed, or does not exist. Read it again.`,
      );
  }

  /** Returns a record with the id of the path. Throws an InvalidRequest if it has another one. */
  requireSameId(call: UntypedCall, record: object): object {
    if (this.resource.isSingle) return record;
    const id = this.resource.idIn(record);
    const sent = parameterOf(call, this.resource.parameter);
    if (id === undefined || `${id}` === sent) return this.resource.withId(record, sent);
    const name = this.resource.idPath.join(".");
    throw invalidBody(name, `The property ${name} must be that of the path, ${sent}, or be left out.`);
  }

  /** Runs a write that can create a record; if it is below another one, in one transaction with the check that this one exists. */
  add<T>(call: UntypedCall, write: (records: RecordStore) => Promise<T>, isTransaction = false): Promise<T> {
    const { above, store } = this.#options;
    if (above.length === 0 && !isTransaction) return write(this.records);
    return store.transaction(async (records) => {
      await requireAbove(above, this.place.valuesAbove(call), records);
      return write(records(this.resource.name));
    });
  }

  /** Deletes the record of the path with those below it, if `isAllowed` returns true for it. */
  remove(call: UntypedCall, isAllowed: (record: RawJson<unknown>) => boolean) {
    const id = this.resource.isSingle ? [] : [this.place.idOf(call)];
    const deletion = {
      collection: this.resource.name,
      address: this.place.addressOf(call),
      scope: toScope([...this.place.scopeValuesOf(call), ...id]),
      below: this.#options.below,
    };
    return removeWithBelow(this.#options.store, deletion, isAllowed);
  }

  /** Changes a record, and returns its response. */
  async change(call: UntypedCall, edit: (record: RawJson<unknown>) => object) {
    const { initial } = this;
    const editChecked = (record: RawJson<unknown>) => {
      this.checkPreconditions(call, record);
      if (isObject(call.body)) this.requirePlace(call, this.bodyOf(call));
      return this.withPrivate(call, edit(record));
    };
    if (initial === undefined)
      return this.respond(call, await this.records.change(this.place.addressOf(call), editChecked));
    const result = await this.add(call, (records) =>
      records.put(this.place.addressOf(call), (record) => editChecked(record ?? initial)),
    );
    if (result.outcome === "full") throw storeFull(this.resource.recordName);
    return this.writeSelected(call, result.record);
  }

  /** Returns the response to a change. */
  async respond(call: UntypedCall, result: Awaited<ReturnType<RecordStore["change"]>>) {
    if (result.outcome === "missing") {
      await this.requireImported();
      this.checkPreconditions(call, undefined);
      throw this.#notFound(call);
    }
    return this.writeSelected(call, result.record);
  }
}
