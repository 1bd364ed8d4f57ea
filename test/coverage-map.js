// Coverage is of all that runs in src, whichever test runs it.
import { globSync } from "node:fs";

const sources = globSync("src/**/*.{ts,js}", {
  exclude: ["src/generated/**", "src/contract.ts", "src/store/store.ts"],
});

export default () => sources;
