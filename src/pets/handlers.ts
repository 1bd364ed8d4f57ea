// The handlers by operationId. Operations that a store can answer by itself need none.
import type { Handlers } from "./handler.ts";
import { createPet } from "./handlers/createPet.ts";
import { getPet } from "./handlers/getPet.ts";
import { listPets } from "./handlers/listPets.ts";

/** The handlers by operationId. */
export const handlers = { listPets, createPet, getPet } satisfies Partial<Handlers>;
