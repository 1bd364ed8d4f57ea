// Coverage is of all that runs in src, whichever test runs it; src/docs-page.js runs in a browser.
import { globSync } from "node:fs";

const sources = globSync("src/**/*.{ts,js}", {
  exclude: ["src/generated/**", "src/contract.ts", "src/store/store.ts", "src/docs-page.js"],
});

export default () => sources;
