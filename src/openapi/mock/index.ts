// Responses from the examples of the document, or made from its schemas.
export { createMockHandler } from "./mock-handler.ts";
