// Overlays: files that change a document (OpenAPI Overlay Specification 1.0).
import { pathToFileURL } from "node:url";
import { type JSONValue, jsonpath } from "json-p3";
import { setOwn } from "../lib/index.ts";
import { readDocument, readSourceFile } from "../openapi/tools.ts";

type Members = Record<string, unknown>;

/** Reads a document, and applies overlays to it in order. Returns the path itself without one. Rejects with an Error that names the overlay. */
export async function readWithOverlays(
  path: string,
  overlays: readonly string[] = [],
  allowedFolders?: readonly string[],
): Promise<string | object> {
  if (overlays.length === 0) return path;
  const { content } = await readDocument(path, { strict: false, allowedFolders });
  let changed: unknown = content; // the same object, whose references stay relative to the document
  for (const overlay of overlays) changed = applyOverlay(changed, overlay, await readOverlay(overlay));
  return changed as object;
}

interface Action {
  readonly target: string;
  readonly update?: unknown;
  readonly remove?: boolean;
}

async function readOverlay(path: string): Promise<readonly Action[]> {
  const { content } = await readSourceFile(pathToFileURL(path));
  const { overlay: version, actions } = Object(content) as Members;
  if (!/^1\.\d+\.\d+$/.test(`${version}`)) throw new Error(`The overlay ${path} must have overlay: 1.0.0.`);
  if (!Array.isArray(actions) || actions.length === 0)
    throw new Error(`The overlay ${path} must have a list of actions.`);
  for (const action of actions) {
    const { target, update, remove } = Object(action) as Members;
    if (typeof target !== "string") throw new Error(`An action of the overlay ${path} must have a target, a JSONPath.`);
    if (update === undefined && remove !== true)
      throw new Error(`The action ${target} of the overlay ${path} must have update, or remove: true.`);
  }
  return actions as Action[];
}

function applyOverlay(document: unknown, path: string, actions: readonly Action[]): unknown {
  for (const { target, update, remove } of actions) {
    const places = findPlaces(document, path, target);
    // From the end, so that the indexes of an array stay.
    for (const place of places.toReversed())
      if (remove === true) removeAt(document, place);
      else mergeAt(document, place, update);
  }
  return document;
}

function findPlaces(document: unknown, path: string, target: string): readonly (string | number)[][] {
  let places: (string | number)[][];
  try {
    places = [...jsonpath.query(target, document as JSONValue)].map(({ location }) => [...location]);
  } catch (error) {
    throw new Error(`The target ${target} of the overlay ${path} is no JSONPath: ${(error as Error).message}.`);
  }
  if (places.length === 0) throw new Error(`The target ${target} of the overlay ${path} is not in the document.`);
  return places;
}

function removeAt(document: unknown, place: readonly (string | number)[]): void {
  const holder = at(document, place.slice(0, -1));
  const key = place.at(-1);
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (key !== undefined) delete (holder as Members)[key];
}

// An object is merged, to an array an item is added, and another value is replaced (section 4.4.3).
function mergeAt(document: unknown, place: readonly (string | number)[], update: unknown): void {
  const value = at(document, place);
  if (Array.isArray(value)) value.push(structuredClone(update));
  else if (isObject(value) && isObject(update)) merge(value, update);
  else if (place.length > 0)
    (at(document, place.slice(0, -1)) as Members)[place.at(-1) as string] = structuredClone(update);
}

function merge(target: Members, update: Members): void {
  for (const [name, value] of Object.entries(update)) {
    const own = Object.hasOwn(target, name) ? target[name] : undefined;
    if (isObject(own) && isObject(value)) merge(own, value);
    else if (Array.isArray(own) && Array.isArray(value)) own.push(...structuredClone(value));
    else setOwn(target, name, structuredClone(value));
  }
}

function at(document: unknown, place: readonly (string | number)[]): unknown {
  return place.reduce((value, key) => (value as Members)[key], document);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
