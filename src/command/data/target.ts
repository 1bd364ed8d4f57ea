// The store that a command of data uses: its document, its URL, and the resource that is selected.
import type { Command } from "commander";
import type { DocumentStore, StoreSummary } from "../../data/index.ts";
import type { Document } from "../../openapi/index.ts";
import { collectionsOf, type Resource, readResources } from "../../resources/index.ts";
import { type OpenMode, openTables, type Tables } from "../../store/index.ts";

/** The store of a document, and the program whose command uses it. */
export interface Target extends DocumentStore {
  readonly program: string;
}

export interface ResourceOptions {
  resource?: string;
  /** The values of the parameters of the resource's path, with `/` between them, each as in a URL. */
  scope?: string;
}

/** Reads the values that select the scope of a resource; undefined without the option. Ends the command with an error for others. */
export function readScope(
  resource: Resource,
  { scope }: ResourceOptions,
  command: Command,
): readonly string[] | undefined {
  if (scope === undefined) return undefined;
  if (resource.scopeParameters.length === 0)
    return command.error(`error: option '--scope <values>': the records of ${resource.name} have no scope`);
  const result = resource.readScope(scope);
  return "values" in result ? result.values : command.error(`error: option '--scope <values>' ${result.problem}`);
}

/** Returns the resource that is named, or the only one of the document. Ends the command with an error otherwise. */
export function selectResource(document: Document, { resource: name }: ResourceOptions, command: Command): Resource {
  const resources = readResources(document);
  const found =
    name === undefined && resources.length === 1 ? resources[0] : resources.find((one) => one.name === name);
  const names = resources.map((one) => one.name).join(", ");
  return found ?? command.error(`error: option '--resource <name>' must be one of: ${names}`);
}

/** Runs `work` with the tables of a store, of the collections of its document or of others, and returns its result. */
export async function withTables<T>(
  { url, service, document }: Target,
  mode: OpenMode,
  work: (store: Tables) => Promise<T>,
  collections = collectionsOf(document),
): Promise<T> {
  const store = await openTables(url, mode, { service, collections });
  return work(store).finally(() => store.close());
}

/** Returns the fields of a summary for output: the number of rows in each table, and the checksum. */
export function toSummaryFields({ counts, checksum }: StoreSummary): object {
  return { ...counts, sha256: checksum };
}
