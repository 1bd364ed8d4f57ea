// Runs a benchmark on Linux with two cores: the server on one core, its clients on the other.
// usage: npm run bench [-- comparison|memory|growth|overload] [options of the benchmark]
import { join } from "node:path";

const benchmarks: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  comparison: () => import("./bench/comparison.ts"),
  memory: () => import("./bench/memory.ts"),
  growth: () => import("./bench/growth.ts"),
  overload: () => import("./bench/overload.ts"),
};

process.chdir(join(import.meta.dirname, ".."));
const words = process.argv.slice(2);
const name = words[0] === undefined || words[0].startsWith("-") ? "comparison" : (words.shift() as string);
const load = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (load === undefined)
  throw new Error(`There is no benchmark ${name}. There are: ${Object.keys(benchmarks).join(", ")}.`);
await (await load()).run(words);
