// Reads the parameters of a request, and rejects those whose effect is not known.
import { HttpError, InvalidRequest } from "../../../http/index.ts";
import { toJson } from "../../../lib/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import { formatOf } from "../../recognition/paths.ts";
import type { PlannedAction } from "../../recognition/plan.ts";

/** Returns the value of a parameter of the path, as a text. */
export function parameterOf({ params }: UntypedCall, name: string): string {
  return `${(params as Readonly<Record<string, unknown>>)[name]}`;
}

/** Returns the error of a member of a body. */
export function invalidBody(name: string, message: string): InvalidRequest {
  return new InvalidRequest([{ location: "body", name, message }]);
}

/** Returns the error of a new record for which the store has no room, or no id. */
export function storeFull(recordName: string): HttpError {
  return new HttpError(
    { code: "store_full", status: 507 },
    `The store contains the maximum number of records, or the highest id. No ${recordName} was created. Do not retry.`,
  );
}

/** Throws an HttpError if a request has a parameter, or a member of its body, whose effect is not known. */
export function requireUnderstood(
  call: UntypedCall,
  { refused, controls }: Pick<PlannedAction, "refused" | "controls">,
): void {
  for (const { in: location, name, default: unchanged, values } of refused) {
    if (values?.includes(parameterOf(call, name)))
      throw new HttpError(
        "not_implemented",
        `The server can't resolve ${parameterOf(call, name)}. Send an id in the path parameter ${name}.`,
      );
    if (values) continue;
    const group = location === "query" ? call.query : location === "header" ? call.headers : call.cookies;
    const value = (group as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && (unchanged === undefined || toJson(value) !== toJson(unchanged)))
      throw notUnderstood(`parameter ${name}`);
  }
  const body = Object(call.body) as Readonly<Record<string, unknown>>;
  for (const name of controls) {
    if (body[name] === undefined) continue;
    if (!Object.hasOwn(call.params as object, name)) throw notUnderstood(`member ${name}`);
    if (`${body[name]}` !== parameterOf(call, name))
      throw invalidBody(name, `The property ${name} must be that of the path.`);
  }
}

/** Throws an HttpError if the path of a request selects another format than JSON. */
export function requireJson(call: UntypedCall, path: string): void {
  const format = formatOf(path);
  if (format === undefined || /^json$/i.test(parameterOf(call, format))) return;
  throw new HttpError(
    "not_implemented",
    `Only JSON responses are supported. Send json in the path parameter ${format}.`,
  );
}

/** Returns the error of a part of a request whose effect is not known. */
export function notUnderstood(what: string): HttpError {
  return new HttpError("not_implemented", `The effect of the ${what} is not known. Send the request without it.`);
}
