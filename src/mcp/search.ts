// The tools of a document with many operations: search, describe and call, because hundreds of tools confuse models.
import { shorten } from "../lib/index.ts";
import type { Tool } from "./tools.ts";

/** A tool, and its words. */
interface Entry {
  readonly tool: Tool;
  readonly fields: readonly { readonly found: readonly string[]; readonly weight: number }[];
}

const maxFound = 10;
const maxQuery = 1_000; // characters
const text = { type: "string" };
const reading = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const id = { ...text, description: "As search_operations returns it" };
const withId = {
  type: "object",
  properties: { operationId: id },
  required: ["operationId"],
  additionalProperties: false,
};

/** The tools that replace a tool for each of `count` operations. */
export const searchTools = (count: number) => [
  {
    name: "search_operations",
    description: `Finds operations of the API by words, such as a resource and an action. The API has ${count} operations. Returns the ${maxFound} that match best.`,
    inputSchema: { type: "object", properties: { query: text }, required: ["query"], additionalProperties: false },
    annotations: reading,
  },
  {
    name: "describe_operation",
    description: "Returns the description of an operation, and the JSON Schemas of its arguments and of its result.",
    inputSchema: withId,
    annotations: reading,
  },
  {
    name: "call_operation",
    description: "Calls an operation. Read the schema of its arguments with describe_operation before.",
    inputSchema: { ...withId, properties: { operationId: id, arguments: { type: "object" } } },
    annotations: { readOnlyHint: false, openWorldHint: false },
  },
];

/** Returns a function that finds the operations that match words best. */
export function createSearch(tools: readonly Tool[]) {
  const entries = tools.map((tool) => ({ tool, fields: fieldsOf(tool) }));
  return (query: string) => searchOperations(entries, query.slice(0, maxQuery));
}

function searchOperations(entries: readonly Entry[], query: string) {
  const all = [...new Set(wordsOf(query))].slice(0, 20);
  const long = all.filter((word) => word.length > 2); // without "a", "an", "of" and the like
  const words = long.length > 0 ? long : all;
  const ranked = entries
    .map(({ tool, fields }) => ({ tool, score: scoreOf(fields, words) }))
    .filter(({ score }) => score > 0);
  ranked.sort((one, other) => other.score - one.score || one.tool.name.length - other.tool.name.length);
  const operations = ranked.slice(0, maxFound).map(({ tool: { name, operation, description } }) => {
    const { method, path } = operation;
    return { operationId: name, method, path, summary: shorten(description.split("\n", 1)[0] as string, 200) };
  });
  return { found: ranked.length, operations };
}

// A word counts more in a name than in a description.
function fieldsOf({ name, operation: { path, tag }, description }: Tool): Entry["fields"] {
  return [
    { found: wordsOf(`${name} ${tag}`), weight: 4 },
    { found: wordsOf(description.split("\n", 1)[0] as string), weight: 3 },
    { found: wordsOf(path), weight: 2 },
    { found: wordsOf(description), weight: 1 },
  ];
}

// It counts most if it is the whole word there.
function scoreOf(fields: Entry["fields"], words: readonly string[]): number {
  const scores = words.map((word) =>
    Math.max(
      ...fields.map(({ found, weight }) =>
        found.includes(word) ? weight + 1 : found.some((one) => one.startsWith(word)) ? weight : 0,
      ),
    ),
  );
  return scores.reduce((sum, score) => sum + score, 0) * scores.filter((score) => score > 0).length;
}

// Without the s of a plural.
function wordsOf(written: string): string[] {
  const words =
    written
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}
