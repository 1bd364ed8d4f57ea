// Overlays: files that change a document (OpenAPI Overlay Specification 1.0 and 1.1).
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { JSONValue } from "json-p3";
import { isObject, parseJson, setOwn, toJson } from "../../lib/index.ts";
import { loadSource, readSourceFile } from "../../openapi/tools.ts";

// Loaded at the first use, because most commands have no overlay.
const require = createRequire(import.meta.url);

type Members = Record<string, unknown>;

/** Reads a document, and applies overlays to it in order. Returns the path itself without one. Rejects with an Error that names the overlay. */
export async function readWithOverlays(
  path: string,
  overlays: readonly string[] = [],
  allowedFolders?: readonly string[],
): Promise<string | object> {
  if (overlays.length === 0) return path;
  const { content } = await loadSource(path, allowedFolders);
  // The same object, whose references stay relative to the document.
  const root = { $: Object.assign(content, copyOf(content)) };
  for (const overlay of overlays) for (const action of await readOverlay(overlay)) applyAction(root, overlay, action);
  return root.$;
}

interface Action {
  readonly target: string;
  readonly update?: unknown;
  readonly copy?: string;
  readonly remove?: boolean;
  /** Whether the overlay has the version 1.0: an array is an item, each value can replace another one, and each target has a match. */
  readonly isFirst: boolean;
}

async function readOverlay(path: string): Promise<readonly Action[]> {
  const { content } = await readSourceFile(pathToFileURL(path));
  const { overlay: version, actions } = Object(content) as Members;
  if (!/^1\.[01]\.\d+$/.test(`${version}`))
    throw new Error(`The overlay ${path} must have overlay: 1.0.0 or 1.1.0. Other versions are not supported.`);
  if (!Array.isArray(actions) || actions.length === 0)
    throw new Error(`The overlay ${path} must have a list of actions.`);
  const isFirst = `${version}`.startsWith("1.0");
  for (const action of actions) {
    const { target, update, copy, remove } = Object(action) as Members;
    if (typeof target !== "string") throw new Error(`An action of the overlay ${path} must have a target, a JSONPath.`);
    const isCopy = typeof copy === "string" && !isFirst;
    if (remove !== true && isCopy === (update !== undefined))
      throw new Error(
        `The action ${target} of the overlay ${path} must have update${isFirst ? "" : ", copy"}, or remove: true.`,
      );
  }
  return actions.map((action) => ({ ...action, isFirst }));
}

function applyAction(root: Members, path: string, { target, update, copy, remove, isFirst }: Action): void {
  const matches = findMatches(root, path, target);
  if (matches.length === 0 && isFirst)
    throw new Error(`The target ${target} of the overlay ${path} is not in the document.`);
  if (remove === true) removeAll(matches.filter(({ holder }) => holder !== root));
  if (remove === true || matches.length === 0) return;
  const kinds = new Set(matches.map(({ holder, key }) => kindOf(holder[key])));
  if (kinds.size > 1 && !isFirst)
    throw new Error(`The target ${target} of the overlay ${path} must not select ${[...kinds].join(" and ")}.`);
  const value = copy === undefined || isFirst ? update : findCopied(root, path, copy);
  for (const { holder, key } of matches)
    try {
      const isItem = Array.isArray(holder[key]) && (isFirst || !Array.isArray(value));
      setOwn(holder, key, combine(holder[key], copyOf(isItem ? [value] : value), isFirst));
    } catch (error) {
      throw new Error(`The action ${target} of the overlay ${path} merges ${(error as Error).message}.`);
    }
}

// Returns the places of the values that a JSONPath selects.
function findMatches(root: Members, path: string, expression: string) {
  const { jsonpath } = require("json-p3") as typeof import("json-p3");
  try {
    const nodes = [...jsonpath.query(expression, root.$ as JSONValue)];
    const places = new Map(nodes.map((node) => [node.path, ["$", ...node.location] as string[]])); // each once
    return [...places.values()].map((place) => {
      const key = place.pop() as string;
      return { holder: place.reduce((value, name) => value[name] as Members, root), key };
    });
  } catch (error) {
    throw new Error(`The target ${expression} of the overlay ${path} is no JSONPath: ${(error as Error).message}.`);
  }
}

function findCopied(root: Members, path: string, expression: string): unknown {
  const [match, ...others] = findMatches(root, path, expression);
  if (match && others.length === 0) return copyOf(match.holder[match.key]);
  throw new Error(`The copy ${expression} of the overlay ${path} must select one value of the document.`);
}

// The last items of an array first, so that the indexes of the others stay.
function removeAll(matches: ReturnType<typeof findMatches>): void {
  for (const { holder, key } of matches.toSorted((one, other) => (Number(other.key) || 0) - (Number(one.key) || 0)))
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
}

// Returns a value after an update (section 4.4.3.1).
function combine(own: unknown, update: unknown, isFirst: boolean): unknown {
  const kinds = [own, update].map(kindOf);
  if (kinds[0] !== kinds[1] && !isFirst) throw new Error(`${kinds[1]} into ${kinds[0]}`);
  if (Array.isArray(own) && Array.isArray(update)) return [...own, ...update];
  if (!isObject(own) || !isObject(update)) return update;
  for (const [name, value] of Object.entries(update))
    setOwn(own, name, Object.hasOwn(own, name) ? combine(own[name], value, isFirst) : value);
  return own;
}

// By value: an alias of YAML is one object at several places, of which one may change.
function copyOf(value: unknown): unknown {
  return parseJson(toJson(value));
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return isObject(value) ? "an object" : "a primitive value";
}
