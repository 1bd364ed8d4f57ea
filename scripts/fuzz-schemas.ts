// Compares the evaluator of schemas with Ajv: `node scripts/fuzz-schemas.ts`. `--values` sets the number of values, and `--seed`
// repeats a run. Exits with 1 if there is a difference.
import { parseArgs } from "node:util";
import { fuzzSchemas } from "../test/support/schema-fuzz.ts";

const { values } = parseArgs({
  options: {
    values: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const [count, seed] = [Number(values.values), Number(values.seed)];
if (!(count > 0) || !Number.isSafeInteger(seed)) throw new Error("--values and --seed must be numbers.");

const { differences, ...report } = fuzzSchemas(seed, count);
for (const difference of differences) console.log(`FOUND: ${difference}\n`);
console.log({ seed, ...report });
process.exitCode = differences.length > 0 ? 1 : 0;
