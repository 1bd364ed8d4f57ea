// The result of a tool call: the response of its operation, cut to what a model can read.
import { getOrAdd, isObject, parseJson, rawJSON, STATUS_CODES, shorten, toJson } from "../lib/index.ts";
import type { Operation } from "../openapi/index.ts";
import { formatOf } from "../openapi/tools.ts";
import type { Layout } from "./arguments.ts";

/** A response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  /** Whether it is the whole body. */
  readonly isComplete: boolean;
}

/** The most characters of a body in a result: about 10,000 tokens. */
export const maxCharacters = 40_000;
const always = ["etag", "location", "retry-after"];
const omitted = /^(deprecation|link|ratelimit.*|set-cookie|sunset|x-request-id)$/; // from the description, as arguments, or not for agents

/** Returns the result of a call. A tool with an output schema has structured content, unless it has failed. */
export function toResult(
  { status, headers, body, isComplete }: Answer,
  operation: Operation,
  layout: Layout,
  isStructured: boolean,
) {
  const isSuccess = status >= 200 && status < 300;
  const notes: string[] = [];
  const type = `${headers["content-type"] ?? ""}`;
  const format = formatOf(type);
  const cuts: string[] = [];
  let text = "";
  let value: unknown;
  if (format === "json" && isComplete && body.length > 0) {
    value = cutValue(parseJson(`${body}`), maxCharacters, "", cuts);
    text = toJson(value);
  } else if (format === "stream" && !/^text\/|json/.test(type)) {
    if (body.length > 0) notes.push(`The body has ${body.length} bytes of ${shorten(type)}.`);
  } else text = cutText(`${body}`, maxCharacters, "The body", cuts, isComplete);
  const names = [...new Set([...always, ...operation.responses.headers.map((name) => name.toLowerCase())])];
  const sent = names.flatMap((name) =>
    headers[name] && !omitted.test(name) ? `${name}: ${shorten(`${headers[name]}`, 300)}` : [],
  );
  if (status !== 200 || sent.length > 0)
    notes.unshift([`HTTP status ${status} (${STATUS_CODES[status] ?? ""})`, ...sent].join("\n"));
  const next = findNextPage(`${headers.link ?? ""}`, layout);
  if (next) notes.push(`Next page: call the tool again with ${next}.`);
  if (cuts.length > 0) {
    const filters = layout.parameters.filter(({ part }) => part.value.in === "query").map(({ argument }) => argument);
    const advice =
      filters.length > 0 ? ` To get the rest, or less of each, use the arguments ${filters.join(", ")}.` : "";
    notes.push(`The response was cut to ${maxCharacters} characters: ${cuts.slice(0, 5).join("; ")}.${advice}`);
  }
  const hasStructure = isStructured && isSuccess && isObject(value);
  if (isStructured && isSuccess && !hasStructure)
    notes.push("The call has succeeded, but its response is not what the document declares.");
  return {
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...(notes.length > 0 ? [{ type: "text" as const, text: notes.join("\n") }] : []),
    ],
    ...(hasStructure && { structuredContent: toWire(value) as Record<string, unknown> }),
    ...((!isSuccess || (isStructured && !hasStructure)) && { isError: true }),
  };
}

/** Returns a value that JSON.stringify, which the SDK uses, writes with exact integers. */
export function toWire(value: unknown): unknown {
  if (typeof value === "bigint") return rawJSON(`${value}`);
  if (Array.isArray(value)) return value.map(toWire);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toWire(member)]));
}

/** Cuts arrays and texts, the longest first, until the JSON of a value has at most `length` characters. `cuts` receives what was cut. */
export function cutValue(value: unknown, length: number, path: string, cuts: string[]): unknown {
  const sizes = new Map<object, number>(); // so that the time is linear, however deep the value is
  return cutPart(value, length, path, cuts, (one) => sizeOf(one, sizes));
}

// The length of its JSON, and of the comma behind it.
function sizeOf(value: unknown, sizes: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return (toJson(value) ?? "").length + 1;
  return getOrAdd(sizes, value, () => {
    const names = Array.isArray(value) ? [] : Object.keys(value);
    const members = Object.values(value);
    const own = names.reduce((sum, name) => sum + sizeOf(name, sizes), 0);
    return members.reduce((sum: number, member) => sum + sizeOf(member, sizes), own + (members.length > 0 ? 2 : 3));
  });
}

function cutPart(
  value: unknown,
  length: number,
  path: string,
  cuts: string[],
  size: (one: unknown) => number,
): unknown {
  if (size(value) <= length) return value;
  const place = shorten(path, 200);
  if (typeof value === "string") return cutText(value, Math.max(length - 3, 10), place || "The text", cuts);
  if (Array.isArray(value)) {
    let [left, count] = [length - 2, 0];
    for (; count < value.length; count++) {
      left -= size(value[count]);
      if (left < 0) break;
    }
    const items = count > 0 ? value.slice(0, count) : [cutPart(value[0], length - 3, `${path}/0`, cuts, size)];
    if (items.length < value.length) cuts.push(`${place || "the array"} has ${items.length} of ${value.length} items`);
    return items;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => ({
    name,
    member,
    size: size(member) + name.length + 3,
  }));
  let left = length - 2;
  const cut = new Map<string, unknown>();
  // Small members stay, and the others share what is left.
  for (const [index, one] of members.toSorted((a, b) => a.size - b.size).entries()) {
    const share = left / (members.length - index);
    const { name, member, size: before } = one;
    if (before > share)
      cut.set(name, cutPart(member, Math.floor(share) - name.length - 3, `${path}/${name}`, cuts, size));
    left -= cut.has(name) ? size(cut.get(name)) + name.length + 3 : before;
  }
  return Object.fromEntries(members.map(({ name, member }) => [name, cut.has(name) ? cut.get(name) : member]));
}

function cutText(text: string, length: number, name: string, cuts: string[], isComplete = true): string {
  if (text.length > length) cuts.push(`${name} has the first ${length} of ${text.length} characters`);
  else if (!isComplete) cuts.push(`${name} is longer`);
  return shorten(text, length);
}

// The arguments in the query of the link to the next page (RFC 8288).
function findNextPage(link: string, { parameters }: Layout): string | undefined {
  const [, target = ""] = /<([^<>]*)>\s*;[^<]*\brel="?next\b/.exec(link) ?? [];
  const query = URL.parse(target, "http://localhost")?.searchParams ?? [];
  const pairs = [...query].flatMap(([name, value]) => {
    const found = parameters.find(({ part }) => part.value.in === "query" && part.value.name === name);
    if (!found || target === "") return [];
    const { type } = Object(found.part.at("schema")?.value) as { readonly type?: unknown };
    const isNumber = ["integer", "number"].includes(`${type}`) && /^\d{1,15}$/.test(value);
    return [`${found.argument}=${isNumber ? value : toJson(shorten(value, 500))}`];
  });
  return pairs.length > 0 ? pairs.join(", ") : undefined;
}
