// Patches of records: JSON Merge Patch (RFC 7396), JSON Patch (RFC 6902), and bodies with some of the members.
import { JSONPatchTestFailure, type JSONValue, jsonpatch, type OpObject } from "json-p3";
import { HttpError, InvalidRequest } from "../../http/index.ts";
import { setOwn, toJson } from "../../lib/index.ts";
import type { UntypedCall } from "../../openapi/application.ts";
import { isPatchType } from "../model/index.ts";

/** Returns whether the body of a request is a JSON Patch. Some documents have its operations as JSON. */
export function isJsonPatch({ request, body }: UntypedCall): boolean {
  const hasOperations = Array.isArray(body) && body.every((one) => typeof Object(one).op === "string");
  return request.mediaType === "application/json-patch+json" || hasOperations;
}

/**
 * Returns a record with the changes of a request. `read` reads the members from a body. Throws an HttpError if the patch is not
 * understood, or can't be applied. A JSON Patch changes the record in place.
 */
export function patchRecord(call: UntypedCall, record: object, read: () => object): unknown {
  const { mediaType = "application/json" } = call.request;
  if (!isPatchType(mediaType))
    throw new HttpError(
      "not_implemented",
      `A body of ${mediaType} is not supported. Send JSON Merge Patch (RFC 7396).`,
    );
  if (isJsonPatch(call)) return applyJsonPatch(record, call.body);
  if (Array.isArray(call.body))
    throw new HttpError("not_implemented", "An array changes no record. Send JSON Merge Patch (RFC 7396).");
  const patch = read();
  if (mediaType.includes("strategic-merge") && hasDirective(patch))
    throw new HttpError(
      "not_implemented",
      "A strategic merge patch with an array or a directive is not supported. Send JSON Merge Patch (RFC 7396).",
    );
  return mergePatch(record, patch);
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

// The record is parsed for this request, so that it can be changed.
function applyJsonPatch(record: object, patch: unknown): unknown {
  try {
    if (!Array.isArray(patch)) throw new Error("it is no array of operations (RFC 6902)");
    // A member with this name would change the prototype.
    if (/"(path|from)":"[^"]*__proto__/.test(toJson(patch))) throw new Error("no path can have the name __proto__");
    return jsonpatch.apply(patch as OpObject[], record as JSONValue);
  } catch (error) {
    const message = `The patch does not apply: ${(error as Error).message}.`;
    if (error instanceof JSONPatchTestFailure) throw new HttpError({ code: "patch_test_failed", status: 409 }, message);
    throw new InvalidRequest([{ location: "body", name: "", message }]);
  }
}

// An array of a strategic merge patch is merged by a key of its items, and not replaced.
function hasDirective(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return (
    isObject(value) && Object.entries(value).some(([name, member]) => name.startsWith("$") || hasDirective(member))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
