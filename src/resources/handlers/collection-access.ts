// What the handlers of a collection share: the id of a request, its preconditions, and its errors.
import { HttpError, InvalidRequest } from "../../http/index.ts";
import { type Checked, RawJson, toJson } from "../../lib/index.ts";
import type { UntypedCall } from "../../openapi/application.ts";
import { idOf, type RecordId, type RecordStore, toAddress, toScope } from "../../store/index.ts";
import {
  type Certainty,
  keyHeaderOf,
  maxScopeLength,
  type RecordFrame,
  type RecordMaker,
  type Resource,
  type StandardOperation,
  singleId,
} from "../model/index.ts";
import { invalidBody, parameterOf, requireUnderstood } from "./request.ts";

/** The record to which the records of a scope belong. */
export interface Parent {
  /** Throws an HttpError if it does not exist. */
  require(call: UntypedCall): Promise<void>;
}

export interface AccessOptions {
  readonly certainty: Certainty;
  readonly records: RecordStore;
  /** The public URL of the API. */
  readonly baseUrl: string;
  readonly parent?: Parent | undefined;
  /** The collections whose records are below those of this one. */
  readonly below: readonly RecordStore[];
  /** How the GET responds with a record, from which its ETag is computed. */
  readonly read: RecordFrame;
}

/** The records of a collection, as the handler of an operation uses them. */
export class CollectionAccess {
  readonly resource: Resource;
  readonly records: RecordStore;
  readonly status: number;
  /** How sure the meaning of the operation is. */
  readonly certainty: Certainty;
  /** The header with the Idempotency-Key. */
  readonly keyHeader: string;
  /** The status of a PUT that creates a record. */
  readonly createdStatus: number;
  readonly maker: RecordMaker | undefined;
  /** What a single record is until it is changed. */
  readonly initial: RawJson<unknown> | undefined;
  readonly #standard: StandardOperation;
  readonly #requiresMatch: boolean;
  readonly #parent: Parent | undefined;
  readonly #read: RecordFrame;
  readonly #baseUrl: string;
  readonly #below: readonly RecordStore[];

  constructor(standard: StandardOperation, { records, baseUrl, parent, read, below, certainty }: AccessOptions) {
    const { resource, operation, status, maker } = standard;
    this.#standard = standard;
    this.maker = maker;
    const { initial } = resource;
    this.initial = initial && new RawJson(toJson(initial));
    const responses = operation.part.at("responses");
    this.resource = resource;
    this.records = records;
    this.status = status;
    this.createdStatus = responses?.at("201") === undefined ? status : 201;
    this.#baseUrl = baseUrl;
    this.#below = below;
    this.certainty = certainty;
    this.#parent = parent;
    this.#read = read;
    this.keyHeader = keyHeaderOf(operation, resource.operations.get);
    this.#requiresMatch = responses?.at("428") !== undefined;
  }

  /** Returns the scope of a request: that of its path. */
  scopeOf(call: UntypedCall): string {
    return toScope(this.resource.scopeParameters.map((name) => parameterOf(call, name)));
  }

  /** Returns the address of a record in the store; 0, which no record has, if the id is not a number of the store. */
  addressOf(call: UntypedCall, id = this.#idOf(call)): RecordId {
    const { idType, isScoped } = this.resource.collection;
    if (isScoped) return toAddress(this.scopeOf(call), id);
    if (idType === "string") return id;
    return /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n ? BigInt(id) : 0n;
  }

  // That of a single record is always the same.
  #idOf(call: UntypedCall): string {
    return this.resource.isSingle ? singleId : parameterOf(call, this.resource.parameter);
  }

  /** Returns what a request has of a record. */
  bodyOf({ body = {} }: UntypedCall): object {
    const { bodyMember } = this.#standard;
    const found = bodyMember === undefined ? body : Object(body)[bodyMember];
    if (found === undefined) return {};
    if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
    throw invalidBody(bodyMember ?? "", "A record must be an object.");
  }

  /** Returns the public URL of the list of a request. */
  listUrlOf(call: UntypedCall): string {
    const fill = (_: string, name: string) => encodeURIComponent(parameterOf(call, name));
    return this.#baseUrl + this.resource.path.replaceAll(/\{([^{}]+)\}/g, fill);
  }

  /** Returns the public URL of a record at an address. */
  urlOf(call: UntypedCall, address: RecordId): string {
    if (this.resource.isSingle) return this.listUrlOf(call);
    const id = idOf(this.resource.collection, address);
    return `${this.listUrlOf(call)}/${encodeURIComponent(`${id}`)}`;
  }

  /** Throws an HttpError if a request has what is not understood, or if the record does not exist to which its scope belongs. */
  async check(call: UntypedCall): Promise<void> {
    requireUnderstood(call, this.#standard);
    if (this.scopeOf(call).length > maxScopeLength)
      throw new InvalidRequest([
        { location: "path", name: this.resource.parameter, message: "The path is too long to have records." },
      ]);
    await this.#parent?.require(call);
  }

  /** Throws an HttpError if a value of a body does not match the schema of the record, and can't be converted. */
  requireClear(body: object): void {
    const opaque = this.maker?.findOpaque(body);
    if (opaque !== undefined)
      throw new HttpError(
        "not_implemented",
        `The value of ${opaque} does not match its schema in the ${this.resource.recordName} of a response, and can't be converted. Send the request without it.`,
      );
  }

  /** Returns a record that was made. Throws an HttpError if it does not match its schema. */
  requireValid({ value, problem }: Checked<object>): object {
    if (problem === undefined) return value;
    const subject = problem.path === "" ? "it" : `its property ${problem.path}`;
    throw new HttpError(
      "not_implemented",
      `The ${this.resource.recordName} that this request makes does not match its schema: ${subject} ${problem.requirement}.`,
    );
  }

  /** Returns a record that a request has changed. Throws an InvalidRequest if it does not match its schema any more. */
  requireAllowed({ value, problem }: Checked<object>): object {
    if (problem === undefined) return value;
    const { recordName } = this.resource;
    const subject = problem.path === "" ? `The ${recordName}` : `The property ${problem.path} of the ${recordName}`;
    throw invalidBody(problem.part ?? problem.path, `${subject} ${problem.requirement}, also after the change.`);
  }

  /** Returns the response with a record. */
  write(record: RawJson<unknown>, status = this.status) {
    const frame = this.#standard.frames.get(status);
    return { status, ...(frame && { body: frame(record) }) };
  }

  notFound(call: UntypedCall): HttpError {
    const { recordName, isSingle, parameter } = this.resource;
    const code = `${recordName}_not_found`;
    const words = isSingle ? "exists" : `has the id ${parameterOf(call, parameter)}`;
    return new HttpError({ code, status: 404 }, `No ${recordName} ${words}.`);
  }

  exists(id: RecordId): HttpError {
    const { recordName } = this.resource;
    return new HttpError({ code: `${recordName}_exists`, status: 409 }, `Another ${recordName} has the id ${id}.`);
  }

  full(): HttpError {
    return new HttpError(
      { code: "store_full", status: 507 },
      `The store contains the maximum number of records. No ${this.resource.recordName} was created. Do not retry.`,
    );
  }

  /** Throws an HttpError unless a request may change a record. */
  checkPreconditions(call: UntypedCall, record: RawJson<unknown> | undefined): void {
    const body = record && this.#read(record);
    const matches = call.ifMatch(body);
    if (matches === undefined && this.#requiresMatch && record)
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

  /** Throws an HttpError if the record of the path does not exist. */
  async require(call: UntypedCall): Promise<void> {
    await this.check(call);
    if ((await this.records.find(this.addressOf(call))) === undefined) throw this.notFound(call);
  }

  /** Deletes the records below one that was deleted, so that another one with its id does not have them. */
  async removeBelow(call: UntypedCall): Promise<void> {
    const id = this.resource.isSingle ? [] : [this.#idOf(call)];
    const scope = toScope([...this.resource.scopeParameters.map((name) => parameterOf(call, name)), ...id]);
    for (const records of this.#below) await records.removeBelow(scope);
  }

  /** Changes a record, and returns its response. */
  async change(call: UntypedCall, edit: (record: RawJson<unknown>) => object) {
    const { initial } = this;
    const editChecked = (record: RawJson<unknown>) => {
      this.checkPreconditions(call, record);
      return edit(record);
    };
    if (initial === undefined) return this.respond(call, await this.records.change(this.addressOf(call), editChecked));
    const result = await this.records.put(this.addressOf(call), (record) => editChecked(record ?? initial));
    if (result.outcome === "full") throw this.full();
    return this.write(result.record);
  }

  /** Returns the response to a change. */
  respond(call: UntypedCall, result: Awaited<ReturnType<RecordStore["change"]>>) {
    if (result.outcome === "missing") {
      this.checkPreconditions(call, undefined);
      throw this.notFound(call);
    }
    return this.write(result.record);
  }
}
