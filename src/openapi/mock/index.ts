// Responses from the examples of the document, or made from its schemas.
export { createMockErrorFormat } from "./mock-failure.ts";
export { createMockHandler } from "./mock-handler.ts";
