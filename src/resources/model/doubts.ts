// Why a store can't answer an operation.
import type { Certainty } from "./standard-operation.ts";

/** Collects why the store can't answer an operation. The first reason is reported. */
export class Doubts {
  readonly certainty: Certainty;
  #reason: string | undefined;

  constructor(certainty: Certainty) {
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
