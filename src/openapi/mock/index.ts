// Responses from the examples of the document, or made from its schemas.
export { createExample } from "./example.ts";
export { createMockErrorFormat } from "./mock-failure.ts";
export { createMockHandler } from "./mock-handler.ts";
