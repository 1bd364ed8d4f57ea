// The types of the Pet Store's handlers, and the context that they receive.
import type { components, operations } from "../generated/openapi.ts";
import type * as openapi from "../openapi/index.ts";
import type { Caller } from "../operate/index.ts";
import type { ResourceStore } from "../resources/index.ts";
import type { RecordStore, Store } from "../store/index.ts";

type Pet = components["schemas"]["Pet"];
type NewPet = components["schemas"]["NewPet"];

/** The second argument of handlers. */
export interface Context {
  readonly pets: RecordStore<Pet, NewPet>;
  /** Returns the records of another collection of the document. */
  readonly records: Store["records"];
}

/** Creates the context of handlers. Its records are those of the store itself: requests were validated before. */
export function createContext(resources: Pick<ResourceStore, "store">): Context {
  let pets: Context["pets"] | undefined;
  return {
    get pets() {
      pets ??= resources.store.records<Pet, NewPet>("pets");
      return pets;
    },
    get records() {
      return resources.store.records;
    },
  };
}

/** Handles the requests of one operation. Returns expected failures (`fail`), and throws only for bugs. */
export type Handler<Id extends keyof operations> = openapi.Handler<operations, Id, Context, Caller>;

/** One handler for each operation of the document. */
export type Handlers = openapi.Handlers<operations, Context, Caller>;
