// A second process on the database of the service: creates pets and keys, and revokes keys. Replies to each message
// after the change is committed.
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import { openPetStore, petsOf } from "../../test/support/pets.ts";

/** A change. The reply is the id of the pet, the key, or an empty text. */
export type Change =
  | { readonly create: "pet" }
  | { readonly create: "key"; readonly name: string }
  | { readonly revoke: string };

const store = await openPetStore(process.argv[2] as string);

async function apply(change: Change): Promise<string> {
  if ("revoke" in change) {
    await store.keys.revoke(change.revoke);
    return "";
  }
  if (change.create === "pet") {
    const result = await petsOf(store).create({ name: "Tom", categoryId: 1n });
    return "id" in result ? `${result.id}` : "";
  }
  const { key, hash } = generateKey();
  await store.keys.create(change.name, hash);
  return key;
}

process.on("message", async (change: Change) => process.send?.(await apply(change)));
process.once("disconnect", () => process.exit());
