// Coverage is of all that runs in src, whichever test runs it; what runs in a browser as it stands is measured there
// (test/browser.ts). src/docs-page.js gets there in pieces, whose places nobody knows.
import { globSync } from "node:fs";

const sources = globSync("src/**/*.{ts,js}", {
  exclude: ["src/generated/**", "src/contract.ts", "src/store/store.ts", "src/docs-page.js"],
});

export default () => sources;
