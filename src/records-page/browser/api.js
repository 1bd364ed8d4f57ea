// Calls the operations of the document, with the credentials that the user has entered. They are kept in these variables only.
import { memberOf, parse, stringify, valueAt } from "./json.js";

/** The description of the document, from plan.json. */
export const model = { schemes: {}, collections: [], schemas: {}, title: "" };

/** The values of credentials, by the names of security schemes. */
export const credentials = new Map();

/** The records that lists have returned, by place: a collection can have no operation that returns one of them. */
export const seen = new Map();

/** An error that the server has responded with. `fields` has the messages by the path of the field. */
export class Failure extends Error {
  constructor(status, text) {
    const body = readJson(text);
    const { message, detail, error, error_description: described, title } = Object(body);
    const texts = [message, detail, described, Object(error).message, error, title].filter(
      (one) => typeof one === "string",
    );
    super(texts[0] ?? (text.slice(0, 500) || `The server responded with ${status}.`));
    this.status = status;
    this.fields = new Map(findDetails(body));
  }
}

function readJson(text) {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

// The details of an error in any usual form: objects with the name of a field and a message, in an array.
function findDetails(value) {
  if (Object(value) !== value) return [];
  return Object.values(value).flatMap((member) => {
    if (!Array.isArray(member)) return findDetails(member);
    return member.flatMap((one) => {
      const { name, field, path, pointer, param, loc, source, message, detail, msg, description, reason } = Object(one);
      const place = name ?? field ?? path ?? pointer ?? param ?? loc ?? Object(source).pointer;
      const text = message ?? detail ?? msg ?? description ?? reason;
      return place === undefined || text === undefined ? [] : [[toPath([place].flat().join(".")), `${text}`]];
    });
  });
}

// `lines[0].price`, `/lines/0/price` and `body.lines.0.price` are lines.0.price
const toPath = (place) =>
  place
    .replace(/^[#$]?[./]?(body[./])?/, "")
    .replaceAll(/[/[]/g, ".")
    .replaceAll("]", "");

const namesIn = (path) => [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);

/** Returns an operation with the values of its path: those of the place, or of the query for another path. Undefined if one is missing. */
export function bind(operation, { scope }, place, query = []) {
  if (!operation?.path) return undefined;
  const headers = scope.flatMap(({ name, in: location }, index) =>
    location === "header" ? [[name, place[index]]] : [],
  );
  const names = namesIn(operation.path);
  const sent = new URLSearchParams(query);
  const values = operation.isView
    ? names.map((name) => sent.get(name))
    : place.slice(headers.length).slice(0, names.length);
  if (values.length < names.length || values.some((value) => !value || /^\.\.?$/.test(value))) return undefined;
  const ofPath = operation.isView ? names.map((name, index) => [name, values[index]]) : [];
  for (const [name] of ofPath) sent.delete(name);
  return { operation, values, headers, query: [...sent], ofPath };
}

/** Returns the operation at the longest path whose values are known; undefined if there is none. */
export function bindFirst(operations, collection, place, query) {
  const bound = operations.flatMap((operation) => bind(operation, collection, place, query) ?? []);
  return bound.toSorted((a, b) => b.values.length - a.values.length)[0];
}

const hasAll = (names) => names.every((name) => credentials.has(name));

/** Returns whether an operation needs no credential, or has one. */
export const canCall = ({ security }) => security.length === 0 || security.some(hasAll);

// Adds the credentials of the first requirement that has them. Returns the cookies.
function authorize({ security }, url, headers) {
  const usable = security.find((names) => names.length > 0 && hasAll(names)) ?? [];
  return usable.flatMap((name) => {
    const { type, in: location, name: key, scheme } = model.schemes[name];
    const value = credentials.get(name);
    if (type !== "apiKey")
      headers.set("Authorization", /^basic$/i.test(scheme) ? `Basic ${toBase64(value)}` : `Bearer ${value}`);
    else if (location === "cookie") return [`${key}=${encodeURIComponent(value)}`];
    else if (location === "query") url.searchParams.set(key, value);
    else headers.set(key, value);
    return [];
  });
}

const toBase64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

let sending = 0; // cookies of requests
const maxAge = 60; // seconds of a cookie, for a browser that ends meanwhile

// Only the browser can send cookies: they exist while there are requests with them.
async function withCookies(cookies, send) {
  const write = (seconds) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs TLS
    for (const cookie of cookies) document.cookie = `${cookie}; path=/; SameSite=Strict; Max-Age=${seconds}`;
  };
  const remove = () => write(0);
  sending += cookies.length;
  write(maxAge);
  addEventListener("pagehide", remove);
  return send().finally(() => {
    removeEventListener("pagehide", remove);
    sending -= cookies.length;
    if (sending === 0) remove();
  });
}

/** Sends a request of an operation. Rejects with a Failure. With `waits`, a signal, sends it again while the server is busy or limits the rate. */
export async function call(
  { operation, values, headers: own, query },
  { body, tag, signal, waits } = /** @type {any} */ ({}),
) {
  let index = 0;
  const path = operation.path.replaceAll(/\{[^{}]+\}/g, () => encodeURIComponent(values[index++]));
  const url = new URL(`.${path}`, location.origin + location.pathname);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const headers = new Headers([["Accept", "application/json, */*;q=0.1"], ...own]);
  if (tag) headers.set("If-Match", tag);
  if (body !== undefined) headers.set("Content-Type", operation.body.type);
  const cookies = authorize(operation, url, headers);
  // Else, a browser would ask for a password itself.
  /** @type {RequestInit} */
  const options = { credentials: cookies.length > 0 ? "same-origin" : "omit", cache: "no-store", signal };
  const send = () => fetch(url, { method: operation.method, headers, body: stringify(body), ...options });
  for (;;) {
    const response = await withCookies(cookies, send);
    const text = await response.text();
    if (response.ok) return { body: readJson(text), headers: response.headers };
    if (!waits || waits.aborted || ![429, 503].includes(response.status)) throw new Failure(response.status, text);
    const seconds = Number(response.headers.get("retry-after")) || 1;
    const { promise, resolve } = Promise.withResolvers();
    waits.addEventListener("abort", resolve);
    setTimeout(resolve, 1_000 * Math.min(seconds, 60));
    await promise;
  }
}

/** Reads a page of a list: its records, the queries of other pages, and the total if the list says it. */
export async function readPage(bound, options) {
  const { levels = [], item, total, totalHeader = "-" } = bound.operation.list ?? {};
  const { body, headers } = await call(bound, options);
  const whole = valueAt(body, levels);
  const found = Array.isArray(whole) ? whole : (Object.values(Object(body)).find(Array.isArray) ?? []);
  const links = [...(headers.get("link") ?? "").matchAll(/<([^<>]*)>\s*;\s*rel="?(\w+)/g)];
  const keys = Object.values(model.schemes).map((scheme) => scheme.name);
  const queryOf = (rel) => {
    const target = links.find(([, , name]) => name === rel)?.[1];
    const query = target && [...bound.ofPath, ...new URL(target, location.href).searchParams];
    return query?.filter(([name]) => !keys.includes(name));
  };
  const count = total ? valueAt(body, total) : headers.get(totalHeader);
  const known = `${count}`.split("/").at(-1) ?? ""; // behind the range of Content-Range
  const rows = item ? found.map((one) => memberOf(one, item)) : found;
  return { rows, next: queryOf("next"), prev: queryOf("prev"), total: /^\d+$/.test(known) ? known : undefined };
}

/** Returns an operation with the limit of a page, unless its query has one. */
export function withLimit(bound, wanted) {
  const { limit, maxLimit = wanted } = bound.operation.list ?? {};
  if (!limit || bound.query.some(([name]) => name === limit)) return bound;
  return { ...bound, query: [...bound.query, [limit, `${Math.min(wanted, maxLimit)}`]] };
}

/** Returns the id of a record, as a text. */
export function idOf({ id }, record) {
  const value = id.length > 0 ? valueAt(record, id) : undefined;
  return value === undefined || value === null ? undefined : `${value}`;
}

/** Reads the record at a place, with its ETag. Rejects with a Failure. */
export async function readRecord(collection, place, signal) {
  const bound = bind(collection.operations.get, collection, place);
  const record = seen.get([collection.name, ...place].join("/"));
  if (!bound && record) return { record };
  if (!bound) throw new Error("No operation of the document returns this record alone. Open it from the list.");
  const { body, headers } = await call(bound, { signal });
  const { member } = bound.operation;
  return { record: member ? memberOf(body, member) : body, tag: headers.get("etag") ?? undefined };
}
