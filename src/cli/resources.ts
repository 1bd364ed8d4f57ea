// Selects the resource of a command.
import type { Command } from "commander";
import type { Document } from "../openapi/application.ts";
import { type Resource, readResources } from "../resources/index.ts";

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
