// The types of the Pet Store's handlers, and the context that they receive.
import type { Caller } from "../auth/index.ts";
import type { operations } from "../generated/openapi.ts";
import type * as openapi from "../openapi/index.ts";
import type { PetStore, Store } from "../store/index.ts";

/** The second argument of handlers. */
export interface Context {
  readonly pets: PetStore;
  /** The public URL of the path of the operation. */
  readonly url: string;
}

/** Creates the contexts of handlers, one for each operation. `baseUrl` is the public URL of the API. */
export function createContexts(
  { pets }: Pick<Store, "pets">,
  baseUrl: string,
): (operation: openapi.Operation) => Context {
  return ({ path }) => ({ pets, url: baseUrl + path });
}

/** A validated request. */
export type Call<Id extends keyof operations> = openapi.Call<operations, Id, Caller>;

/** Handles the requests of one operation. Returns expected failures (`fail`), and throws only for bugs. */
export type Handler<Id extends keyof operations> = openapi.Handler<operations, Id, Context, Caller>;

/** One handler for each operation of the document. */
export type Handlers = openapi.Handlers<operations, Context, Caller>;
