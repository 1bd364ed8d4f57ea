// GET /pets/{petId}: returns one pet.
import { fail } from "../errors.ts";
import type { Handler } from "../handler.ts";

export const getPet: Handler<"getPet"> = async ({ params }, { pets }) => {
  const pet = await pets.find(params.petId);
  return pet ? { status: 200, body: pet } : fail("pet_not_found", `No pet has the id ${params.petId}.`);
};
