// An operation that a store can answer without a handler.
import type { Operation } from "../../openapi/index.ts";
import type { PageParameters } from "./page-parameters.ts";
import type { RecordMaker } from "./record/record-maker.ts";
import type { Resource, ResourceOperations } from "./resource.ts";
import type { ListFrame, RecordFrame } from "./responses/response-frame.ts";
import type { ResponseHeaders } from "./responses/response-headers.ts";

/** What an operation does with a collection. */
export type OperationKind = keyof ResourceOperations;

/**
 * How sure the meaning of an operation must be. What is likely follows usual names: the server makes members that no request has,
 * leaves out those that no response has, and responds with 501 to a parameter whose effect it does not know.
 */
export type Certainty = "certain" | "likely";

/** An operation that a store can answer. */
export interface StandardOperation {
  readonly kind: OperationKind;
  readonly operation: Operation;
  readonly resource: Resource;
  /** The status of a success. */
  readonly status: number;
  /** That of a PUT that creates a record. */
  readonly createdStatus: number;
  readonly headers: ResponseHeaders;
  /** How the responses that have content contain a record, by status. */
  readonly frames: ReadonlyMap<number, RecordFrame>;
  /** How a list responds, and the parameters that select its page. */
  readonly list?: StandardList | undefined;
  /** Makes the members that no request has; undefined if there are none. */
  readonly maker?: RecordMaker | undefined;
  /** The member of the body that has the record; undefined if it is the body itself. */
  readonly bodyMember?: string | undefined;
  /** The members of the body that select what a response has, or whether anything is changed: a request can't have them. */
  readonly controls: readonly string[];
  /** The parameters whose effect is not known: a request can't have them. */
  readonly refused: readonly Operation["parameterParts"][number][];
}

/** How a list responds. */
export interface StandardList {
  readonly frame: ListFrame;
  readonly parameters: PageParameters;
  /** The defaults of filters that select all records, such as `all`. */
  readonly wildcards: ReadonlyMap<string, unknown>;
}

/** An operation that is examined, and why the store can't answer it. The first reason is reported. */
export class ExaminedOperation {
  readonly kind: OperationKind;
  readonly operation: Operation;
  readonly resource: Resource;
  readonly certainty: Certainty;
  #reason: string | undefined;

  constructor(kind: OperationKind, operation: Operation, resource: Resource, certainty: Certainty) {
    this.kind = kind;
    this.operation = operation;
    this.resource = resource;
    this.certainty = certainty;
  }

  /** Completes "The operation … "; undefined if there is no reason. */
  get reason(): string | undefined {
    return this.#reason;
  }

  refuse(reason: string): void {
    this.#reason ??= reason;
  }

  /** Refuses it, if its meaning must be certain. */
  doubt(reason: string): void {
    if (this.certainty === "certain") this.refuse(reason);
  }
}
