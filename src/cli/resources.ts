// The resources of a command: the tables of their store, and the one that it selects.
import type { Command } from "commander";
import type { Document } from "../openapi/application.ts";
import { collectionsOf, type Resource, readResources } from "../resources/index.ts";
import { type OpenMode, openTables, type Tables } from "../store/index.ts";

export interface ResourceOptions {
  resource?: string;
}

/** Returns the resource that is named, or the only one of the document. Ends the command with an error otherwise. */
export function selectResource(document: Document, { resource: name }: ResourceOptions, command: Command): Resource {
  const resources = readResources(document);
  const found =
    name === undefined && resources.length === 1 ? resources[0] : resources.find((one) => one.name === name);
  const names = resources.map((one) => one.name).join(", ");
  return found ?? command.error(`error: option '--resource <name>' must be one of: ${names}`);
}

/** Runs `work` with the tables of the store of a document at `url`, and returns its result. */
export async function withTables<T>(
  url: string,
  mode: OpenMode,
  document: Document,
  work: (store: Tables) => Promise<T>,
): Promise<T> {
  const store = await openTables(url, mode, { collections: collectionsOf(document) });
  return work(store).finally(() => store.close());
}
