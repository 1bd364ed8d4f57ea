// Makes sure that the records of a store match the document, before the service uses them.
import type { Document } from "../openapi/application.ts";
import { prepareRecords as prepare } from "../resources/index.ts";
import { upgrades } from "./upgrades.ts";

const advice =
  "Change them with a function: npm run scaffold -- --upgrade NAME writes it, and petstore migrate applies it.";

/**
 * Validates the records of the store at `url` if the schema of the document has changed. Rejects like `upgradeRecords`. Without `apply`,
 * a function of upgrades.ts that is pending is an Error.
 */
export function prepareRecords(
  url: string,
  document: Document,
  options: Omit<Parameters<typeof prepare>[2], "upgrades" | "advice">,
): Promise<void> {
  return prepare(url, document, { ...options, upgrades, advice });
}
