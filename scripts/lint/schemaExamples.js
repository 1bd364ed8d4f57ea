// Spectral function: validates the `examples` of a schema. spectral:oas validates only `example`, which OpenAPI 3.1
// deprecates (section 4.8.24.4).
import { schema as validate } from "@stoplight/spectral-functions";

/**
 * Validates each example against the schema.
 * @param {{ examples: unknown[] }} schema
 * @param {null} _
 * @param {Parameters<typeof validate>[2]} context
 */
export default function schemaExamples(schema, _, context) {
  return schema.examples.flatMap((example, index) => {
    const findings = /** @type {{ message: string }[] | undefined} */ (validate(example, { schema }, context));
    return (findings ?? []).map(({ message }) => ({ message, path: [...context.path, "examples", index] }));
  });
}
