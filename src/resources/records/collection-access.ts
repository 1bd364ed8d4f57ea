// What the handlers of a collection share: its records, how requests change them, and their preconditions.
import { HttpError, InvalidRequest } from "../../http/index.ts";
import { isObject, RawJson, toJson } from "../../lib/index.ts";
import type { UntypedCall } from "../../openapi/index.ts";
import {
  type IdempotencyKey,
  type RecordId,
  type RecordStore,
  type Records,
  removeWithBelow,
  type Store,
  toScope,
} from "../../store/index.ts";
import type { PlannedAction, PlannedOperation } from "../recognition/plan.ts";
import { callerForms } from "../record/member-sources.ts";
import { membersOf } from "../record/member-values.ts";
import { RecordMaker } from "../record/record-maker.ts";
import { maxScopeLength, type Resource } from "../record/resource.ts";
import { recordUrl } from "../record/url-placeholders.ts";
import { addChildren, requireSameChildren } from "./child-records.ts";
import { notFound, type Parent, requireAbove } from "./parent-check.ts";
import { addRecord, type PlacedRecord } from "./place-record.ts";
import { callerId } from "./requests/caller.ts";
import { resolveIds } from "./requests/id-or-name.ts";
import { patchedNames } from "./requests/patches.ts";
import { invalidBody, parameterOf, requireJson, requireUnderstood, storeFull } from "./requests/request.ts";
import { RequestBody } from "./requests/request-body.ts";
import { RequestPlace } from "./requests/request-place.ts";
import { RecordResponse, type ShownRecords } from "./responses/record-response.ts";
import { writeRecord } from "./responses/write-body.ts";

export interface AccessOptions extends ShownRecords {
  readonly store: Pick<Store, "records" | "transaction">;
  /** The public URL of the API. */
  readonly baseUrl: string;
  /** The collections whose records must exist above those of this one, from the lowest to the highest. */
  readonly above: readonly Parent[];
  /** The names of the collections whose records are below those of this one, from the highest to the lowest. */
  readonly below: readonly string[];
  /** Returns whether no operation creates the records of a collection, so that they are imported. */
  readonly isImported: (collection: string) => boolean;
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
  /** What its requests have of a record. */
  readonly body: RequestBody;
  /** What it responds with. */
  readonly response: RecordResponse;
  readonly #options: AccessOptions;
  readonly #path: string;
  // The collections along the path, from the highest to the lowest, whose records have another id that the path can have.
  readonly #along: readonly Resource[];
  // The record before a change, as it is stored, and as the GET returns it.
  readonly #before = new WeakMap<UntypedCall, { readonly text: string; readonly whole: RawJson<unknown> }>();

  constructor({ path, does: action }: PlannedOperation & { readonly does: PlannedAction }, options: AccessOptions) {
    const { resource, store } = options;
    this.place = new RequestPlace(path, resource, action.within, options.baseUrl);
    this.#options = options;
    this.#path = path;
    this.action = action;
    this.maker = action.body && new RecordMaker(resource, action.body);
    this.body = new RequestBody(action, resource, this.maker);
    this.response = new RecordResponse({ ...options, action, body: this.body, place: this.place });
    const { initial } = resource.plan;
    this.initial = initial && new RawJson(toJson(initial));
    this.resource = resource;
    // At another path, the last parameter is not the id of this collection.
    const along = [...options.above.map((one) => one.resource).toReversed(), ...(action.within ? [] : [resource])];
    this.#along = along.filter(({ plan }) => plan.id.other !== undefined);
    this.records = store.records(resource.name);
  }

  /** Throws an HttpError if a request has what is not understood, or if the record does not exist to which its scope belongs. */
  async check(call: UntypedCall): Promise<void> {
    requireUnderstood(call, this.action);
    requireJson(call, this.#path);
    this.response.shapeOf(call); // what it selects is known, before anything is changed
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
    if (this.#along.length > 0) {
      const place = { along: this.#along, tenants: this.place.tenantsOf(call) };
      await resolveIds(call, this.#path, place, store.records);
    }
    if (above.length > 0) await requireAbove(above, this.place.valuesAbove(call), store.records);
    const isChange = !["create", "get", "list"].includes(this.action.kind);
    const hasOthers = this.action.embedded ?? this.action.children;
    const before = hasOthers && isChange ? await this.records.find(this.place.addressOf(call)) : undefined;
    const whole = before && (await this.response.whole(call, before));
    if (whole) this.#before.set(call, { text: before.text, whole });
    if (!isChange || this.action.children === undefined) return;
    const sent = { sent: this.body.childrenOf(call), patched: patchedNames(call) };
    requireSameChildren(this.action.children, sent, whole && membersOf(whole), this.#options.resources);
  }

  /**
   * Returns the new record of a request, with its URL, if it has some and is known. Throws an HttpError if it does not match its schema.
   */
  makeNew(call: UntypedCall, body: object, embedded: object, url = recordUrl): object {
    const caller = this.#formsOf(call);
    const place = this.place.requireMembers(call, body);
    if (this.maker)
      return this.body.withPrivate(
        call,
        this.body.requireValid(this.maker.create(body, place, { url, caller, embedded }), body),
      );
    return { ...place, ...this.body.keepReadOnly(undefined, body) };
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
        if (record !== undefined) return membersOf(record);
        const isWhole = this.maker?.findOpaque({ [member]: value }) !== undefined;
        if (!isWhole && (await this.#lacksImport(collection))) return undefined;
        await this.requireImported(collection);
        throw invalidBody(this.body.sentName(member), `No ${other.recordName} has the id ${id}.`);
      };
      const all = await Promise.all(ids.map(find));
      return all.includes(undefined) ? [] : [[member, Array.isArray(value) ? all : all[0]] as const];
    });
    return Object.fromEntries((await Promise.all(found)).flat());
  }

  /**
   * Throws an HttpError if records must be imported, and none were, also none that are deleted now: an empty list would be wrong, because
   * other operations can create what it lists.
   */
  async requireImported(name = this.resource.name): Promise<void> {
    if (!(await this.#lacksImport(name))) return;
    throw new HttpError(
      "not_implemented",
      `No operation creates the records of ${name}, and none were imported. Import them, such as with openapi-server data import DOCUMENT FILE --resource ${name}, or serve --seed.`,
    );
  }

  async #lacksImport(name: string): Promise<boolean> {
    const { isImported, store } = this.#options;
    return isImported(name) && !(await store.records(name).hasHadRecords());
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

  /** Creates a record. Throws an HttpError if another one has its id. */
  create(call: UntypedCall, placed: PlacedRecord, key: IdempotencyKey | undefined) {
    const options = { scope: this.place.scopeValuesOf(call), key };
    const makesUrls = this.maker?.makesUrls ?? false;
    const { children = {} } = this.action;
    const sent = this.body.childrenOf(call);
    const nests = Object.keys(sent).length > 0;
    const write = async (records: RecordStore, all: Records) => {
      const created = await addRecord(records, this.resource, placed, options);
      if (created.outcome !== "created") return created;
      const parent = { resource: this.resource, id: created.id, scope: options.scope, children, sent };
      if (nests) await addChildren(all, parent, this.#options.resources, { caller: this.#formsOf(call) });
      if (!makesUrls) return created;
      const changed = await records.change(created.id, (record) => this.fillUrls(call, created.id, record));
      return changed.outcome === "missing" ? created : { ...created, record: changed.record };
    };
    return this.add(call, write, makesUrls || nests);
  }

  // The forms of the id of the caller; undefined if it is not known.
  #formsOf({ caller }: UntypedCall): readonly unknown[] | undefined {
    const isKnown = caller !== undefined || this.resource.plan.owner !== undefined;
    return isKnown ? callerForms(callerId(caller)) : undefined;
  }

  /** Returns the members of a record with its URLs, see `RecordMaker.fillUrls`. */
  fillUrls(call: UntypedCall, address: RecordId, record: RawJson<unknown>): object {
    const members = membersOf(record);
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

  /** Runs a write that can create a record; if it is below another one, in one transaction with the check that this one exists. */
  add<T>(
    call: UntypedCall,
    write: (records: RecordStore, all: Records) => Promise<T>,
    isTransaction = false,
  ): Promise<T> {
    const { above, store } = this.#options;
    if (above.length === 0 && !isTransaction) return write(this.records, store.records);
    return store.transaction(async (records) => {
      await requireAbove(above, this.place.valuesAbove(call), records);
      return write(records(this.resource.name), records);
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
      if (isObject(call.body)) this.place.requireMembers(call, this.body.of(call));
      return this.body.withPrivate(call, edit(record));
    };
    if (initial === undefined)
      return this.respond(call, await this.records.change(this.place.addressOf(call), editChecked));
    const result = await this.add(call, (records) =>
      records.put(this.place.addressOf(call), (record) => editChecked(record ?? initial)),
    );
    if (result.outcome === "full") throw storeFull(this.resource.recordName);
    return this.response.writeSelected(call, result.record);
  }

  /** Returns the response to a change. */
  async respond(call: UntypedCall, result: Awaited<ReturnType<RecordStore["change"]>>) {
    if (result.outcome === "missing") {
      await this.requireImported();
      this.checkPreconditions(call, undefined);
      throw this.#notFound(call);
    }
    return this.response.writeSelected(call, result.record);
  }
}
