// Functions that change old records, so that they match the document. `npm run scaffold -- --upgrade pets` writes one, and
// `petstore migrate` applies it.
import type { Upgrades } from "../resources/index.ts";

export const upgrades: Upgrades = {};
