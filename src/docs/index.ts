// The documentation of the API: Swagger UI, the OpenAPI document and the API catalog.
export { docs } from "./docs.ts";
