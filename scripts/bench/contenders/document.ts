// Our document for the contenders that begin from one, with the server at /v1 where they all answer.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const text = readFileSync(new URL("../../../openapi/petstore.yaml", import.meta.url), "utf8");

/** The document. */
export const document = { ...parse(text), servers: [{ url: "/v1" }] };
