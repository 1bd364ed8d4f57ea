// An operation that a store can answer without a handler.
import type { Operation } from "../../openapi/index.ts";
import type { RecordMaker } from "../record/record-maker.ts";
import type { ListEnvelope, RecordEnvelope } from "./envelopes.ts";
import type { PageParameters } from "./page-parameters.ts";
import type { Resource, ResourceOperations } from "./resource.ts";
import type { ResponseHeaders } from "./response-headers.ts";

/** What an operation does with a collection. */
export type OperationKind = keyof ResourceOperations;

/** An operation that a store can answer. */
export interface AnsweredOperation {
  readonly kind: OperationKind;
  readonly operation: Operation;
  readonly resource: Resource;
  /** The status of a success. */
  readonly status: number;
  /** That of a PUT that creates a record. */
  readonly createdStatus: number;
  readonly headers: ResponseHeaders;
  /** How the responses that have content contain a record, by status. */
  readonly envelopes: ReadonlyMap<number, RecordEnvelope>;
  /** How a list responds, and the parameters that select its page. */
  readonly list?: AnsweredList | undefined;
  /** Makes the members that no request has; undefined if there are none. */
  readonly maker?: RecordMaker | undefined;
  /** The member of the body that has the record; undefined if it is the body itself. */
  readonly bodyMember?: string | undefined;
  /** The members of the body that select what a response has, or whether anything is changed: a request can't have them. */
  readonly controls: readonly string[];
  /** The parameters whose effect is not known: a request can't have them. */
  readonly refused: readonly Operation["parameterParts"][number][];
  /** What is only likely of its meaning, as usual names say it. Each completes "The operation … ". */
  readonly doubts: readonly string[];
}

/** How a list responds. */
export interface AnsweredList {
  readonly envelope: ListEnvelope;
  readonly parameters: PageParameters;
  /** The defaults of filters that select all records, such as `all`. */
  readonly wildcards: ReadonlyMap<string, unknown>;
}

/** An operation that is examined, and why the store can't answer it. The first reason is reported. */
export class ExaminedOperation {
  readonly kind: OperationKind;
  readonly operation: Operation;
  readonly resource: Resource;
  readonly doubts: string[] = [];
  #reason: string | undefined;

  constructor(kind: OperationKind, operation: Operation, resource: Resource) {
    this.kind = kind;
    this.operation = operation;
    this.resource = resource;
  }

  /** Completes "The operation … "; undefined if there is no reason. */
  get reason(): string | undefined {
    return this.#reason;
  }

  refuse(reason: string): void {
    this.#reason ??= reason;
  }

  doubt(reason: string): void {
    this.doubts.push(reason);
  }
}
