// Maps test files to the files of src whose coverage they measure. Coverage makes a test 1.6 times slower, so that only
// fast tests measure it, and those system tests that run code which no fast test can run: entry points, signals,
// workers and terminals. Swagger UI's plugins are excluded, because a browser runs them.
import { globSync } from "node:fs";

const sources = globSync("src/**/*.{ts,js}", {
  exclude: [
    "src/generated/**",
    "src/openapi/types/handler.ts",
    "src/store/port.ts",
    "src/openapi/pages/swagger-ui-plugins.js",
  ],
});

const processes =
  /\/(command|disk-faults|metrics|pipes|process-faults|rate-limit|serve|signals|terminal|tls|tracing|workers)\.test\.ts$/;

/**
 * Returns the files of src that a test file measures; null if it measures none.
 * @param {string} file
 */
export default (file) => (/^test\/(system|tooling)\//.test(file) && !processes.test(file) ? null : sources);
