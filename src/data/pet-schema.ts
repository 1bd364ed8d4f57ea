// The schemas of the document for the data of a store: pets, their statuses, and Idempotency-Keys.
import type { Checked } from "../lib/index.ts";
import {
  createRecordValidator,
  createRowValidator,
  type Document,
  type Part,
  type SchemaObject,
} from "../openapi/application.ts";
import { type NewPet, newPetColumns } from "../store/index.ts";

/** The names of a pet's fields, in the document's order. */
export const petFields = ["id", ...newPetColumns.map(({ field }) => field)];

/** Returns a schema of the document. */
function findSchema({ root }: Document, name: "NewPet" | "Pet" | "PetStatus") {
  return root.at("components")?.at("schemas")?.at(name) as Part<SchemaObject>;
}

/** Returns the names of the fields of NewPet, and of those that are required. */
export function readNewPetFields(document: Document): { readonly all: string[]; readonly required: readonly string[] } {
  const { properties, required } = findSchema(document, "NewPet").value;
  return { all: Object.keys(properties as object), required: required as string[] };
}

/** Returns the values of `status` that the document declares. */
export function readStatuses(document: Document): readonly string[] {
  return findSchema(document, "PetStatus").value.enum as string[];
}

/** Creates the validation of a parsed NewPet or Pet. */
export function createPetValidator<T>(document: Document, name: "NewPet" | "Pet"): (record: unknown) => Checked<T> {
  const validate = createRecordValidator(findSchema(document, name), document.schemas);
  return (record) => validate(record) as Checked<T>;
}

/** Creates the validation of a NewPet whose fields are texts. */
export function createNewPetRowValidator(
  document: Document,
): (row: Readonly<Record<string, string>>) => Checked<NewPet> {
  const validate = createRowValidator(findSchema(document, "NewPet"), document.schemas);
  return (row) => validate(row) as Checked<NewPet>;
}

/** Returns a function that returns whether the store can contain an Idempotency-Key. */
export function createIdempotencyKeyCheck({ operations }: Document): (key: string) => boolean {
  const headers = operations.map(({ parameters }) => parameters.headers);
  const group = headers.find((one) => one?.names.includes("Idempotency-Key")) as NonNullable<(typeof headers)[number]>;
  // The store contains the text without its quotes and escapes. Every key can be written with them.
  return (key) => group.read({ "idempotency-key": `"${key.replace(/["\\]/g, "\\$&")}"` }).error === undefined;
}
