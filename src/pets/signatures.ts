// The parameters and fields that the handlers read and send. The service does not start if the document has others.
import { errorFields } from "../spec/index.ts";
import { newPetFieldTypes, petFieldTypes, petFilterTypes } from "../store/index.ts";
import type { Signatures } from "./handler.ts";

/** The signatures of the handlers by operationId. The fields and filters are those that the store supports. */
export const signatures = {
  listPets: {
    query: { limit: "integer", cursor: "string?", ...petFilterTypes },
    responses: { 200: [petFieldTypes], 400: errorFields },
    responseHeaders: ["Link"],
  },
  createPet: {
    header: { "Idempotency-Key": "string?" },
    body: newPetFieldTypes,
    responses: { 201: petFieldTypes, 422: errorFields },
  },
  getPet: { path: { petId: "int64" }, responses: { 200: petFieldTypes, 404: errorFields } },
} as const satisfies Signatures;
