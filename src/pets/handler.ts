// The types of the Pet Store's handlers.
import type { Caller } from "../auth/index.ts";
import type { operations } from "../generated/openapi.ts";
import type * as spec from "../spec/index.ts";
import type { PetStore } from "../store/index.ts";
import type { Pagination } from "./cursor.ts";

/** What handlers work with. */
export interface Context {
  readonly pets: PetStore;
  readonly pagination: Pagination;
}

interface PetStoreApplication {
  readonly operations: operations;
  readonly context: Context;
  readonly caller: Caller;
}

/** The operationId of an operation of the document. */
export type OperationId = spec.OperationId<PetStoreApplication>;

/** A validated call of an operation. */
export type Call<Id extends OperationId> = spec.Call<PetStoreApplication, Id>;

/** Responds to the calls of one operation. Returns expected failures (`fail`), and throws only for bugs. */
export type Handler<Id extends OperationId> = spec.Handler<PetStoreApplication, Id>;

/** One handler for each operation of the document. */
export type Handlers = spec.Handlers<PetStoreApplication>;
