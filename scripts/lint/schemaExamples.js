// The examples of a schema, which spectral:oas passes over: it looks at `example` alone, which
// OpenAPI 3.1 (section 4.8.24.4) has deprecated.
import { schema as validate } from "@stoplight/spectral-functions";

/**
 * Holds each of a schema's examples to the schema; a function of Spectral.
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
