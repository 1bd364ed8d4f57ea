// The types of the Pet Store's handlers, and the context that they receive.
import type { Caller } from "../auth/index.ts";
import type { operations } from "../generated/openapi.ts";
import type * as spec from "../spec/index.ts";
import type { PetStore, Store } from "../store/index.ts";
import { Pagination } from "./cursor.ts";

/** The second argument of handlers. */
export interface Context {
  readonly pets: PetStore;
  readonly pagination: Pagination;
}

/** Creates the contexts of handlers, one for each operation. `baseUrl` is the public URL of the API. */
export function createContexts(
  { pets, secret }: Pick<Store, "pets" | "secret">,
  baseUrl: string,
): (operation: spec.Operation) => Context {
  return ({ path }) => ({ pets, pagination: new Pagination(secret, baseUrl + path) });
}

/** The types of the Pet Store, for the spec-first server. */
export interface PetStoreApplication {
  readonly operations: operations;
  readonly context: Context;
  readonly caller: Caller;
}

/** The operationId of an operation of the document. */
export type OperationId = spec.OperationId<PetStoreApplication>;

/** A validated request. */
export type Call<Id extends OperationId> = spec.Call<PetStoreApplication, Id>;

/** Handles the requests of one operation. Returns expected failures (`fail`), and throws only for bugs. */
export type Handler<Id extends OperationId> = spec.Handler<PetStoreApplication, Id>;

/** One handler for each operation of the document. */
export type Handlers = spec.Handlers<PetStoreApplication>;

/** One signature for each operation of the document. */
export type Signatures = spec.Signatures<PetStoreApplication>;
