// The typed client: from source, or from the module that CLIENT_MODULE names. test/tooling/package.test.ts runs the tests of the
// client with that of the installed package.
import { extname } from "node:path";

const location = new URL(process.env.CLIENT_MODULE ?? "../../openapi/client/client.ts", import.meta.url);
const client: typeof import("../../openapi/client/client.ts") = await import(location.href);
const retries: typeof import("../../openapi/client/retry.ts") = await import(
  new URL(`retry${extname(location.pathname)}`, location).href
);
const json: typeof import("../../openapi/client/exact-integers.ts") = await import(
  new URL(`exact-integers${extname(location.pathname)}`, location).href
);

export const { createClient, exactJson } = client;
export const { retry } = retries;
export const { parseExactJson } = json;
