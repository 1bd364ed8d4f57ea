// What the handlers of a collection share: the id of a request, its preconditions, and its errors.
import { HttpError, InvalidRequest } from "../http/index.ts";
import type { RawJson } from "../lib/index.ts";
import type { UntypedCall } from "../openapi/application.ts";
import type { RecordId, RecordStore } from "../store/index.ts";
import type { Resource } from "./resource.ts";
import type { StandardOperation } from "./standard-operations.ts";

/** The records of a collection, as the handler of an operation uses them. */
export class CollectionAccess {
  readonly resource: Resource;
  readonly records: RecordStore;
  readonly status: number;
  /** The public URL of the list. */
  readonly url: string;
  /** The status of a PUT that creates a record. */
  readonly createdStatus: number;
  readonly #requiresMatch: boolean;
  /** The path parameter with the id. */
  readonly parameter: string;

  constructor({ resource, operation, status }: StandardOperation, records: RecordStore, baseUrl: string) {
    const responses = operation.part.at("responses");
    this.resource = resource;
    this.records = records;
    this.status = status;
    this.createdStatus = responses?.at("201") === undefined ? status : 201;
    this.url = baseUrl + resource.path;
    this.#requiresMatch = responses?.at("428") !== undefined;
    const { path } = resource.operations.get;
    this.parameter = path.slice(path.lastIndexOf("{") + 1, -1);
  }

  /** Returns the id of the path; 0, which no record has, if it is not a number of the store. */
  idOf(call: UntypedCall): RecordId {
    const sent = this.#sentId(call);
    if (this.resource.collection.idType === "string") return sent;
    return /^[1-9]\d{0,18}$/.test(sent) && BigInt(sent) < 2n ** 63n ? BigInt(sent) : 0n;
  }

  #sentId({ params }: UntypedCall): string {
    return `${(params as Readonly<Record<string, unknown>>)[this.parameter]}`;
  }

  /** Returns the public URL of a record. */
  urlOf(id: RecordId): string {
    return `${this.url}/${encodeURIComponent(`${id}`)}`;
  }

  notFound(call: UntypedCall): HttpError {
    const { recordName } = this.resource;
    const code = `${recordName}_not_found`;
    return new HttpError({ code, status: 404 }, `No ${recordName} has the id ${this.#sentId(call)}.`);
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
    const matches = call.ifMatch(record);
    if (matches === undefined && this.#requiresMatch && record)
      throw new HttpError(
        { code: "precondition_required", status: 428 },
        `Send the ETag of the ${this.resource.recordName}, which a GET returns, in If-Match.`,
      );
    if (matches === false || call.ifNoneMatch(record) === false)
      throw new HttpError(
        "precondition_failed",
        `The ${this.resource.recordName} has changed, or does not exist. Read it again.`,
      );
  }

  /** Returns the members of a record without its id. Throws an InvalidRequest if it has another id. */
  withoutId(call: UntypedCall, record: object): object {
    const { id: name } = this.resource.collection;
    const { [name]: id, ...members } = record as Readonly<Record<string, unknown>>;
    const sent = this.#sentId(call);
    if (id === undefined || `${id}` === sent) return members;
    throw invalidBody(name, `The property ${name} must be that of the path, ${sent}, or be left out.`);
  }

  /** Changes a record, and returns its response. */
  async change(call: UntypedCall, edit: (record: RawJson<unknown>) => object) {
    const result = await this.records.change(this.idOf(call), (record) => {
      this.checkPreconditions(call, record);
      return edit(record);
    });
    return this.respond(call, result);
  }

  /** Returns the response to a change. */
  respond(call: UntypedCall, result: Awaited<ReturnType<RecordStore["change"]>>) {
    if (result.outcome === "missing") {
      this.checkPreconditions(call, undefined);
      throw this.notFound(call);
    }
    return { status: this.status, ...(this.status !== 204 && { body: result.record }) };
  }
}

/** Returns the error of a member of a body. */
export function invalidBody(name: string, message: string): InvalidRequest {
  return new InvalidRequest([{ location: "body", name, message }]);
}
