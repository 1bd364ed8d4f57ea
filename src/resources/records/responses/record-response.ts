// The responses of an operation with a record: its ETag, and what a request selects of it.
import { RawJson, toJson } from "../../../lib/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import type { Store } from "../../../store/index.ts";
import type { PlannedAction } from "../../recognition/plan.ts";
import type { RecordEnvelope } from "../../recognition/responses/envelopes.ts";
import { membersOf } from "../../record/member-values.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import type { RequestBody } from "../requests/request-body.ts";
import type { RequestPlace } from "../requests/request-place.ts";
import { ResponseShape, type ShapePlan } from "./response-shape.ts";
import { writeRecord } from "./write-body.ts";

/** The records of a collection that responses show. */
export interface ShownRecords {
  readonly resource: Resource;
  readonly store: Pick<Store, "records">;
  /** All collections, by name. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** How the GET responds with a record, from which its ETag is computed. */
  readonly read: RecordEnvelope;
}

interface ResponseOptions extends ShownRecords {
  readonly action: PlannedAction;
  readonly body: RequestBody;
  readonly place: RequestPlace;
}

/** Writes the responses of an operation with a record. */
export class RecordResponse {
  readonly #options: ResponseOptions;

  constructor(options: ResponseOptions) {
    this.#options = options;
  }

  /** Returns the response with a record. `shown` is what it has of it: the ETag is that of the whole record, which a change compares. */
  write(call: UntypedCall, record: RawJson<unknown>, status = this.#options.action.status, shown = record) {
    const envelope = this.#options.action.envelopes[status];
    const isTagged = this.#options.action.headers.etag || shown !== record;
    const tag = isTagged ? call.tagOf(writeRecord(this.#options.read, record)) : undefined;
    const headers: Readonly<Record<string, string>> = tag === undefined ? {} : { ETag: tag };
    return { status, headers, ...(envelope && { body: writeRecord(envelope, this.#withEchoed(call, shown)) }) };
  }

  // A record in a response, with what only this response has of the request. Values that it can't have are left out.
  #withEchoed(call: UntypedCall, record: RawJson<unknown>): RawJson<unknown> {
    const { echoed } = this.#options.action;
    if (echoed === undefined) return record;
    const response = RecordSchema.of(this.#options.resource.record.document, { pointer: echoed.schema });
    const own = Object.entries(this.#options.body.of(call)).filter(
      ([name, value]) => echoed.members.includes(name) && response.accepts(name, value),
    );
    return new RawJson(toJson({ ...membersOf(record), ...Object.fromEntries(own) }));
  }

  /** Returns a record, or an array of them, with the members and other records that a request selects. Throws an InvalidRequest. */
  async shape(
    call: UntypedCall,
    records: RawJson<unknown>,
    action: ShapePlan = this.#options.action,
  ): Promise<RawJson<unknown>> {
    const shape = this.shapeOf(call, action);
    return shape === undefined ? records : shape.apply(records, this.#options.place.scopeValuesOf(call));
  }

  /** Returns what a request selects; undefined for whole records. Throws an InvalidRequest for a name that is not known. */
  shapeOf(call: UntypedCall, action: ShapePlan = this.#options.action): ResponseShape | undefined {
    const { resource, resources, store } = this.#options;
    return ResponseShape.of(call, action, { resource, resources, records: store.records });
  }

  /** Returns the response with what a request selects of a record, and those that are part of it as they are now. */
  async writeSelected(call: UntypedCall, record: RawJson<unknown>, status = this.#options.action.status) {
    const { fieldsParameter, expansion, embedded, children } = this.#options.action;
    const selects = fieldsParameter !== undefined || expansion !== undefined;
    if (!selects && !embedded && !children) return this.write(call, record, status);
    const whole = await this.whole(call, record);
    return this.write(call, whole, status, selects ? await this.shape(call, record) : whole);
  }

  /** Returns a whole record, with those that are part of it as they are now. */
  whole(call: UntypedCall, record: RawJson<unknown>): Promise<RawJson<unknown>> {
    const { embedded, children } = this.#options.action;
    return this.shape(call, record, { embedded, children });
  }
}
