// The document for contenders that need one, with the server URL /v1.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const text = readFileSync(new URL("../../../openapi/petstore.yaml", import.meta.url), "utf8");

/** The document. */
export const document = { ...parse(text), servers: [{ url: "/v1" }] };
