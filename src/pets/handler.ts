// The types of the Pet Store's handlers, and the context that they receive.
import type { Caller } from "../auth/index.ts";
import type { components, operations } from "../generated/openapi.ts";
import type * as openapi from "../openapi/index.ts";
import type { RecordStore, Store } from "../store/index.ts";

type Pet = components["schemas"]["Pet"];
type NewPet = components["schemas"]["NewPet"];

/** The second argument of handlers. */
export interface Context {
  readonly pets: RecordStore<Pet, NewPet>;
  /** Returns the records of another collection of the document. */
  readonly records: Store["records"];
  /** The public URL of the path of the operation. */
  readonly url: string;
}

/** Creates the contexts of handlers, one for each operation. `baseUrl` is the public URL of the API. */
export function createContexts(
  { records }: Pick<Store, "records">,
  baseUrl: string,
): (operation: openapi.Operation) => Context {
  const pets = records<Pet, NewPet>("pets");
  return ({ path }) => ({ pets, records, url: baseUrl + path });
}

/** Handles the requests of one operation. Returns expected failures (`fail`), and throws only for bugs. */
export type Handler<Id extends keyof operations> = openapi.Handler<operations, Id, Context, Caller>;

/** One handler for each operation of the document. */
export type Handlers = openapi.Handlers<operations, Context, Caller>;
