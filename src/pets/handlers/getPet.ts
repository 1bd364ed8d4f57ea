import { fail } from "../../http/index.ts";
import type { Handler } from "../../spec/index.ts";
export const getPet: Handler<"getPet"> = async ({ params }, { pets }) => {
  const pet = await pets.find(params.petId);
  return pet ? { status: 200, body: pet } : fail("pet_not_found", `No pet has the id ${params.petId}.`);
};
