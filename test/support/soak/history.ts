// The history of a soak run: the calls with their times and outcomes, and the properties that it must have.
import type { Status } from "./numbered-pets.ts";

/**
 * The outcome of a call. `rejected`: the response says that the call had no effect. `unknown`: there was no response, or
 * it was 503, so that the call may have taken effect.
 */
export type Outcome = "ok" | "rejected" | "unknown";

/** The times of a call, in milliseconds: before the request was sent, and after the response was read. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** A pet of a response: its id, and the number from which it was derived. */
export interface SeenPet {
  readonly id: number;
  readonly pet: number;
}

/** A create. The Idempotency-Key of a pet depends only on its number. `id` is that of the response. */
export interface Create {
  readonly operation: "create";
  readonly pet: number;
  readonly id?: number;
  /** Whether the body belongs to another pet, so that the key must be rejected if its own pet exists. */
  readonly conflicting?: boolean;
}

/** A read by id. The outcome is `rejected` if there is no such pet. */
export interface Find {
  readonly operation: "find";
  readonly id: number;
  /** The number of the pet of the response. */
  readonly pet?: number;
}

/** A read of a page. */
export interface List {
  readonly operation: "list";
  /** The id after which the page begins. */
  readonly after: number;
  readonly status?: Status | undefined;
  /** The pets of the response. */
  readonly pets: readonly SeenPet[];
  /** Whether no page follows. */
  readonly isLast: boolean;
}

/** A change or a use of an API key. A use is `rejected` if the response is 401. */
export interface KeyCall {
  readonly operation: "createKey" | "revokeKey" | "useKey";
  readonly name: string;
}

/** A call of a history. */
export type Call = Create | Find | List | KeyCall;

/** A call with its times and its outcome. */
export type Entry = Call & Interval & { readonly outcome: Outcome };

/** The properties of a history, with the violation that each excludes. */
export const properties = {
  missing: "reads without a pet that an earlier response had",
  skipped: "pets that appeared later with an id that a list had already passed",
  duplicated: "pets with two ids, and ids of two pets",
  unordered: "pages that are not in order of id",
  idempotency: "Idempotency-Keys that accepted another body or rejected their own",
  revoked: "revoked API keys that were accepted",
  denied: "valid API keys that were rejected",
} as const;

/** A property of a history. */
export type Property = keyof typeof properties;
