// Patches of records: JSON Merge Patch (RFC 7396), JSON Patch (RFC 6902), and bodies with some of the members.
import { HttpError, InvalidRequest } from "../../../http/index.ts";
import { canonicalJson, isObject, setOwn, toSnakeCase } from "../../../lib/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import { isPatchType } from "../../recognition/bodies-and-parameters.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import { applyJsonPatch, PatchError } from "./json-patch.ts";
import { invalidBody } from "./request.ts";

/** Returns whether the body of a request is a JSON Patch. Some documents have its operations as JSON. */
export function isJsonPatch({ request, body }: UntypedCall): boolean {
  const hasOperations = Array.isArray(body) && body.every((one) => typeof Object(one).op === "string");
  return request.mediaType === "application/json-patch+json" || hasOperations;
}

/** Returns the names of the members that a JSON Patch reads or changes, also inside of them; none for another body. */
export function patchedNames(call: UntypedCall): readonly string[] {
  if (!isJsonPatch(call)) return [];
  const pointers = [call.body].flat().flatMap((one) => [Object(one).path, Object(one).from]);
  return pointers.flatMap(
    (pointer) => /^\/([^/]*)/.exec(`${pointer}`)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~") ?? [],
  );
}

/**
 * Returns a record with the changes of a request: a JSON Patch, or the members that `read` returns. In JSON that is no JSON Merge Patch,
 * null is the value of a member that allows it. Throws an HttpError if the patch is not understood, or can't be applied.
 */
export function patchRecord(
  call: UntypedCall,
  record: object,
  read: () => object,
  allowsNull: (name: string) => boolean = () => false,
): unknown {
  const { mediaType = "application/json" } = call.request;
  if (!isPatchType(mediaType))
    throw new HttpError(
      "not_implemented",
      `A body of ${mediaType} is not supported. Send JSON Merge Patch (RFC 7396).`,
    );
  if (isJsonPatch(call)) return applyOperations(record, call.body);
  if (Array.isArray(call.body))
    throw new HttpError("not_implemented", "The body must be an object, or a JSON Patch (RFC 6902).");
  const patch = read();
  if (mediaType.includes("strategic-merge") && hasDirective(patch))
    throw new HttpError(
      "not_implemented",
      "A strategic merge patch with an array or a directive is not supported. Send JSON Merge Patch (RFC 7396).",
    );
  const merged = mergePatch(record, patch) as Readonly<Record<string, unknown>>;
  if (/merge-patch/.test(mediaType)) return merged;
  const nulls = Object.entries(patch).filter(([name, value]) => value === null && allowsNull(name));
  return nulls.length === 0 ? merged : { ...merged, ...Object.fromEntries(nulls) };
}

/**
 * Returns a changed record as it is with its read-only members, `kept`. A JSON Patch can't change them: throws an InvalidRequest if it has.
 * Other requests have the members that they have read.
 */
export function requireKept(call: UntypedCall, kept: object, changed: object): object {
  const name = isJsonPatch(call) ? findDifference(kept, changed) : "";
  if (name === "") return kept;
  throw invalidBody(name, `The property ${name} is read-only.`);
}

// The path of the first difference, or that of its outer values: each level compares all values below it.
function findDifference(a: unknown, b: unknown, levels = 5): string {
  const members = (value: unknown) => Object(value) as Readonly<Record<string, unknown>>;
  if (levels === 0 || typeof a !== "object" || typeof b !== "object") return "";
  const isChanged = (name: string) => canonicalJson(members(a)[name]) !== canonicalJson(members(b)[name]);
  const name = Object.keys({ ...members(a), ...members(b) }).find(isChanged);
  if (name === undefined) return "";
  const inner = findDifference(members(a)[name], members(b)[name], levels - 1);
  return inner === "" ? name : `${name}.${inner}`;
}

/** Returns a value with the changes of a patch (RFC 7396, section 2): null removes a member. Changes neither of them. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete merged[name];
    else setOwn(merged, name, mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, value));
  return merged;
}

/**
 * Returns the members of a JSON Merge Patch that a field mask has, such as `title,author.name` (AIP-161); `*`, and an empty mask, have all.
 * A member that the patch does not have is null. Names match also in snake case. Throws an InvalidRequest if a record has no such member.
 */
export function applyMask(patch: object, mask: string, parameter: string, record: RecordSchema): object {
  const paths = mask.split(",").map((one) => one.trim());
  if (paths.every((one) => one === "" || one === "*")) return patch;
  let masked: unknown = {};
  for (const path of paths.filter((one) => one !== "")) {
    const names: string[] = [];
    let schema: RecordSchema | undefined = record;
    for (const part of path.split(".")) {
      const name = schema?.propertyNames.find((one) => toSnakeCase(one) === toSnakeCase(part));
      if (name === undefined) {
        const message = `The field mask has ${path}, which is no property of the record.`;
        throw new InvalidRequest([{ location: "query", name: parameter, message }]);
      }
      names.push(name);
      schema = schema?.member(name);
    }
    const has = (holder: unknown, name: string) => isObject(holder) && Object.hasOwn(holder, name);
    const value = names.reduce<unknown>((holder, name) => (has(holder, name) ? Object(holder)[name] : null), patch);
    masked = mergeAll(
      masked,
      names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value ?? null),
    );
  }
  return masked as object;
}

// Like a merge patch that keeps null.
function mergeAll(target: unknown, patch: unknown): unknown {
  if (!isObject(target) || !isObject(patch)) return patch;
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) setOwn(merged, name, mergeAll(merged[name], value));
  return merged;
}

function applyOperations(record: object, patch: unknown): unknown {
  try {
    // Its values become parts of the record, which later operations change; the patch can be applied again.
    return applyJsonPatch(structuredClone(record), structuredClone(patch));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const message = `The patch does not apply: ${error.message}.`;
    if (error.reason === "test") throw new HttpError({ code: "patch_test_failed", status: 409 }, message);
    throw error.reason === "size" ? new HttpError("content_too_large", message) : invalidBody("", message);
  }
}

// An array of a strategic merge patch is merged by a key of its items, and not replaced.
function hasDirective(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return (
    isObject(value) && Object.entries(value).some(([name, member]) => name.startsWith("$") || hasDirective(member))
  );
}
