// `openapi-server diff`: lists the changes between two versions of a document, and whether they break callers.
import { type Document, readDocument } from "../openapi/index.ts";
import { describeLocation, type SourceLocation } from "../openapi/tools.ts";
import { type Io, toIndentedJson, warn, write } from "../terminal/index.ts";
import { type Change, type ChangedOperation, compareDocuments } from "./changes.ts";
import { type LocalDocument, openSource } from "./git.ts";
import type { Rating } from "./keywords.ts";

export interface DiffOptions {
  /** The changes for which the command fails. */
  readonly failOn: "breaking" | "any" | "none";
  readonly format: "text" | "json" | "markdown";
  readonly allowedFolders?: readonly string[] | undefined;
}

const titles: Readonly<Record<Rating, string>> = {
  breaking: "Breaking changes",
  compatible: "Compatible changes",
  documentation: "Changes of the documentation",
};
const maxOperations = 5; // that are named in a line

/** Lists the changes. Returns whether there are none for which the command fails. */
export async function diff(
  old: string,
  revised: string,
  { failOn, format, allowedFolders = [] }: DiffOptions,
  io: Io,
): Promise<boolean> {
  const sources: LocalDocument[] = [];
  try {
    const documents: Document[] = [];
    for (const name of [old, revised]) {
      const source = await openSource(name, allowedFolders);
      sources.push(source);
      documents.push(await read(source, io));
    }
    const [before, after] = documents as [Document, Document];
    const changes = compareDocuments(before, after, new Date().toISOString().slice(0, 10)).map((change) => ({
      ...change,
      old: renamePlace(change.old, sources[0] as LocalDocument),
      new: renamePlace(change.new, sources[1] as LocalDocument),
    }));
    const text = { text: toText, markdown: toMarkdown, json: (all: Change[]) => toIndentedJson(all) }[format](changes);
    await write(io, `${text.trimEnd()}\n`);
    return !changes.some(({ rating }) => failOn === "any" || rating === failOn);
  } finally {
    for (const source of sources) source.remove();
  }
}

// What is wrong with a document does not matter, but for references to nothing, behind which changes can hide.
async function read({ path, folders, rename }: LocalDocument, io: Io): Promise<Document> {
  try {
    const document = await readDocument(path, { strict: false, allowedFolders: folders });
    for (const { rule, message } of document.findings.list())
      if (/^reference\b/.test(rule)) warn(io, rename(`${message}. What it leads to is not compared.`));
    return document;
  } catch (error) {
    throw new Error(rename((error as Error).message));
  }
}

function renamePlace(place: SourceLocation, { rename }: LocalDocument): SourceLocation {
  return place.file === undefined ? place : { ...place, file: rename(place.file) };
}

function toText(changes: readonly Change[]): string {
  return formatGroups(
    changes,
    (title) => `${title}:\n\n`,
    (change) => {
      const [old, revised] = [change.old, change.new].map(describeLocation);
      return `- ${describeChange(change)}\n    ${old} -> ${revised}\n`;
    },
  );
}

// For a comment on a pull request.
function toMarkdown(changes: readonly Change[]): string {
  return formatGroups(
    changes,
    (title) => `### ${title}\n\n`,
    (change) => {
      const place = describeLocation(change.rule.endsWith("-removed") ? change.old : change.new);
      return `- ${describeChange(change, true)} <sub>${place}</sub>\n`;
    },
  );
}

function formatGroups(
  changes: readonly Change[],
  toHeading: (title: string) => string,
  toItem: (change: Change) => string,
): string {
  if (changes.length === 0) return "No changes.";
  const groups = Map.groupBy(changes, ({ rating }) => rating);
  return [...groups]
    .map(([rating, own]) => `${toHeading(`${titles[rating]} (${own.length})`)}${own.map(toItem).join("")}`)
    .join("\n");
}

function describeChange({ location, text, operations }: Change, isMarkdown = false): string {
  const named = operations.slice(0, maxOperations).map((operation) => describeOperation(operation, isMarkdown));
  const others = operations.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} more`] : [])].join(", ");
  // A part of one operation belongs to its name.
  if (operations.length === 1) return `${[list, location].filter(Boolean).join(", ")}: ${text}`;
  return `${location}: ${text}${list && ` Operations: ${list}.`}`;
}

function describeOperation({ operationId, method, path }: ChangedOperation, isMarkdown: boolean): string {
  const call = `${method} ${path}`;
  const text = operationId === null ? call : `${operationId} (${call})`;
  return isMarkdown ? `\`${text}\`` : text;
}
