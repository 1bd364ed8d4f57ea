// Maps every test to all files of src, so that coverage does not depend on the test. test/support/browser.ts measures files
// that run unchanged in a browser. src/docs-page.js has no coverage, because the page includes only parts of it.
import { globSync } from "node:fs";

const sources = globSync("src/**/*.{ts,js}", {
  exclude: ["src/generated/**", "src/contract.ts", "src/store/store.ts", "src/docs-page.js"],
});

export default () => sources;
