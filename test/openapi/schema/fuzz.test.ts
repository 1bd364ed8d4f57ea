// Random schemas and values, compared with Ajv. `node scripts/fuzz-schemas.ts` runs more of them.
import t from "tap";
import { fuzzSchemas } from "../../support/schema-fuzz.ts";

t.test("Judges random values by random schemas as Ajv does", async (t) => {
  const { differences, documents, values, invalid } = fuzzSchemas(1, 10_000);
  t.same(differences, []);
  t.ok(documents >= 250, `${documents} documents`);
  t.ok(invalid > 0.2 * values && invalid < 0.8 * values, `${invalid} of ${values} values are invalid`);
});
