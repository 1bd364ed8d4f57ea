// Publishes the document of the API: as pages, in JSON and YAML, and in the API catalog.
export { catalog } from "./catalog.ts";
