// The schemas of the document for the data of a store: pets, their statuses, and Idempotency-Keys.
import { createValidatorCompiler, type Document } from "../spec/index.ts";
import { newPetColumns } from "../store/index.ts";

type Schemas = Document["content"]["components"] & {
  readonly schemas: {
    readonly NewPet: { readonly properties: Record<string, object>; readonly required: readonly string[] };
    readonly PetStatus: { readonly enum: readonly string[] };
  };
};

type ValidationResult<T> = { readonly value: T; readonly error?: undefined } | { readonly error: Error };

/** The names of a pet's fields, in the document's order. */
export const petFields = ["id", ...newPetColumns.map(({ field }) => field)];

/** Returns the schema NewPet of the document. */
export function readNewPetSchema({ content }: Document) {
  return (content.components as Schemas).schemas.NewPet;
}

/** Returns the values of `status` that the document declares. */
export function readStatuses({ content }: Document): readonly string[] {
  return (content.components as Schemas).schemas.PetStatus.enum;
}

/**
 * Compiles a schema, which may refer to the components of the document. The validator also converts text to numbers if
 * `httpPart` is `row`. It returns the value or the error.
 */
export function compileValidator<T>(
  { content: { components }, extensions }: Document,
  httpPart: "body" | "row",
  schema: object,
): (raw: unknown) => ValidationResult<T> {
  const compile = createValidatorCompiler([...extensions, "components"]);
  const validate = compile({ schema: { ...schema, components }, httpPart, method: "", url: "" });
  return (raw) => validate(raw) as ValidationResult<T>;
}

/** Compiles the schema of Idempotency-Key to a function that returns whether the store can contain this key. */
export function compileIdempotencyKeyCheck(document: Document): (key: string) => boolean {
  const parameters = document.operations.flatMap(({ parameters }) => parameters);
  const { schema } = parameters.find(({ name }) => name === "Idempotency-Key") as { readonly schema: object };
  const validate = compileValidator(document, "body", schema);
  // The store contains the text without its quotes and escapes. Every key can be written with them.
  return (key) => validate(`"${key.replace(/["\\]/g, "\\$&")}"`).error === undefined;
}
