// Compares the operations of two documents: their parameters, bodies, responses, callbacks and servers.
import { isObject } from "../lib/index.ts";
import type { Document, Part, SchemaNode } from "../openapi/index.ts";
import { escapeToken, methods, readServerUrl } from "../openapi/tools.ts";
import { SchemaComparison } from "./compare-schemas.ts";
import { compareSecurity } from "./compare-security.ts";
import { type Direction, subtract } from "./keywords.ts";
import { type Member, type Places, Step } from "./steps.ts";

type Json = Readonly<Record<string, unknown>>;

/** An operation, or the request of a webhook. */
export interface Entry {
  /** In upper case. */
  readonly method: string;
  /** The path, or the name of the webhook. */
  readonly path: string;
  readonly part: Part<Json>;
  readonly item: Part<Json>;
}

/** What was compared: one operation, or the document itself. */
export interface Compared {
  readonly entry: Entry | undefined;
  readonly step: Step;
}

interface PartMember extends Member {
  readonly part: Part<Json>;
}

type Pair<T> = readonly [old: T, revised: T];
type Parts = Pair<Part<Json>>;

// Callers send the requests of operations, and receive those of webhooks and callbacks.
type Directions = { readonly input: Direction; readonly output: Direction };
const sent: Directions = { input: "request", output: "response" };
const received: Directions = { input: "response", output: "request" };

/** Compares documents. `today` is an ISO 8601 date. Webhooks and callbacks are requests that callers receive. */
export function compareOperations(old: Document, revised: Document, today: string): Compared[] {
  const schemas = new SchemaComparison(today);
  const comparison = new OperationComparison([old, revised], schemas);
  const step = new Step("request", today);
  const compared = (["paths", "webhooks"] as const).flatMap((field) =>
    comparison.compareAll(field, field === "paths" ? sent : received, today),
  );
  const roots = [old.root, revised.root] as unknown as Parts;
  const others = /^(openapi|info|paths|webhooks|components|security|servers|jsonSchemaDialect|\$self)$/;
  compareFields(step, roots, others);
  compareFields(step, roots.map((root) => root.at("info") ?? root) as unknown as Parts, /^(version|x-released)$/);
  schemas.run();
  return [{ entry: undefined, step }, ...compared];
}

class OperationComparison {
  readonly #documents: Pair<Document>;
  readonly #schemas: SchemaComparison;

  constructor(documents: Pair<Document>, schemas: SchemaComparison) {
    this.#documents = documents;
    this.#schemas = schemas;
  }

  compareAll(field: "paths" | "webhooks", directions: Directions, today: string): Compared[] {
    const roots = this.#documents.map(({ root }) => root) as unknown as Parts;
    const entries = both(roots, (root) => listEntries([...membersOf(root, field).values()]));
    return pairEntries(entries).map(([old, revised]) => {
      const step = new Step("request", today);
      this.#compareEntries(step, "operation", [old, revised], placesOf(roots, field), directions);
      return { entry: (revised ?? old) as Entry, step };
    });
  }

  #compareEntries(step: Step, kind: string, pair: Pair<Entry | undefined>, places: Places, directions: Directions) {
    const toMap = (entry: Entry | undefined) => new Map(entry ? [["", toMember(entry.part)]] : []);
    for (const _ of step.compareMembers(kind, toMap(pair[0]), toMap(pair[1]), places))
      this.#compareOperation(step, pair as Pair<Entry>, directions);
  }

  #compareOperation(step: Step, entries: Pair<Entry>, { input, output }: Directions): void {
    const parts = both(entries, ({ part }) => part);
    const [call, newCall] = both(entries, ({ method, path }) => `${method} ${path.replace(/\{[^{}]*\}/g, "{}")}`);
    if (call !== newCall) step.add("breaking", "path", placesOf(parts), `Moved from ${call} to ${newCall}.`);
    compareFields(step, parts, /^(parameters|requestBody|responses|callbacks|security|servers)$/);
    const [servers, roots] = [
      both(entries, (entry, index) => this.#serversOf(entry, index)),
      both(this.#documents, ({ root }) => root),
    ];
    compareServers(step, servers);
    compareSecurity(
      step,
      roots,
      both(parts, ({ value }) => value),
      placesOf(parts),
    );
    const request = step.below(input);
    for (const members of request.compareMembers("parameter", ...both(entries, parametersOf), placesOf(parts)))
      this.#compareParameter(
        request,
        both(members, ({ part }) => part),
      );
    const bodies = both(parts, (part) => new Map([...membersOf(part)].filter(([name]) => name === "requestBody")));
    for (const members of request.compareMembers("body", ...bodies, placesOf(parts)))
      this.#compareContents(
        request,
        both(members, ({ part }) => part),
        /^(required|content)$/,
      );
    const response = step.below(output);
    for (const own of compareMaps(response, "response", parts, "responses", (name) => name.toUpperCase())) {
      this.#compareContents(response, own, /^(headers|content|links)$/);
      for (const headers of compareMaps(response, "header", own, "headers", (name) => name.toLowerCase()))
        this.#compareParameter(response, headers);
      for (const links of compareMaps(response, "link", own, "links")) compareFields(response, links, /^$/);
    }
    for (const own of compareMaps(step, "callback", parts, "callbacks"))
      for (const calls of pairEntries(both(own, (part) => listEntries([...membersOf(part).values()]))))
        this.#compareEntries(step, "callback", calls, placesOf(own), input === "request" ? received : sent);
  }

  #serversOf({ part, item }: Entry, index: number): Part<Json> {
    const root = this.#documents[index]?.root as unknown as Part<Json>;
    return [part, item].find(({ value }) => Array.isArray(value.servers) && value.servers.length > 0) ?? root;
  }

  #compareParameter(step: Step, parts: Parts): void {
    const schemas = this.#compareSchemas(step, "schema", parts);
    const [style, newStyle] = both(parts, ({ value }) => styleOf(value));
    if (style !== newStyle && this.#schemas.haveMembers(...schemas))
      step.add("breaking", "style", placesOf(parts), `The style changed from ${style} to ${newStyle}.`);
    this.#compareContents(step, parts, /^(name|in|required|schema|content|style|explode)$/);
  }

  // Compares what has media types, and `others` besides.
  #compareContents(step: Step, parts: Parts, others: RegExp): void {
    compareFields(step, parts, others);
    const toName = (name: string) => name.toLowerCase().replace(/\s|;charset=utf-8/g, "");
    for (const own of compareMaps(step, "media-type", parts, "content", toName)) {
      compareFields(step, own, /^(schema|itemSchema)$/);
      for (const field of ["schema", "itemSchema"]) this.#compareSchemas(step, field, own);
    }
  }

  #compareSchemas(step: Step, field: string, parts: Parts): Pair<SchemaNode[]> {
    const toNodes = ({ value, pointer }: Part<Json>, index: number) =>
      value[field] === undefined ? [] : [(this.#documents[index] as Document).schemas.at(`${pointer}/${field}`)];
    const pair = both(parts, toNodes);
    this.#schemas.descend(step, ...pair, field, placesOf(parts));
    return pair;
  }
}

function both<T, R>(pair: Pair<T>, convert: (one: T, index: number) => R): [R, R] {
  return [convert(pair[0], 0), convert(pair[1], 1)];
}

function compareFields(step: Step, parts: Parts, others: RegExp): void {
  step.compareFields(parts[0].value, parts[1].value, placesOf(parts), others);
}

// Compares the named parts of a field. Returns those that both have.
function compareMaps(step: Step, kind: string, parts: Parts, field: string, toName = (name: string) => name): Parts[] {
  const toMap = (part: Part<Json>) =>
    new Map([...membersOf(part, field)].map(([name, member]) => [toName(name), member]));
  const common = step.compareMembers(kind, ...both(parts, toMap), placesOf(parts, field));
  return common.map((members) => both(members, ({ part }) => part));
}

function listEntries(items: readonly PartMember[]): Entry[] {
  return items.flatMap(({ part: item, name = "" }) => {
    const own = [...membersOf(item)].filter(([method]) => (methods as readonly string[]).includes(method));
    return [...own, ...membersOf(item, "additionalOperations")].map(([method, { part }]) => ({
      method: method.toUpperCase(),
      path: name,
      part,
      item,
    }));
  });
}

// Those with the same path, or else with one that differs in the names of parameters, or else with the same operationId.
function pairEntries([old, revised]: Pair<readonly Entry[]>): Pair<Entry | undefined>[] {
  const pairs = new Map<Entry, Entry>();
  const toKeys = [
    ({ method, path }: Entry) => `${method} ${path}`,
    ({ method, path }: Entry) => `${method} ${path.replace(/\{[^{}]*\}/g, "{}")}`,
    ({ part, method, path }: Entry) => part.value.operationId ?? `${method} ${path}`,
  ];
  for (const toKey of toKeys) {
    const found = new Set(pairs.values());
    const waiting = new Map(revised.filter((entry) => !found.has(entry)).map((entry) => [toKey(entry), entry]));
    for (const entry of old) {
      const other = pairs.has(entry) ? undefined : waiting.get(toKey(entry));
      if (other && waiting.delete(toKey(entry))) pairs.set(entry, other);
    }
  }
  const added = subtract(revised, [...pairs.values()]) as Entry[];
  return [
    ...old.map((entry) => [entry, pairs.get(entry)] as const),
    ...added.map((entry) => [undefined, entry] as const),
  ];
}

// By location and name, and those of the path by their position. OpenAPI ignores some headers.
function parametersOf({ path, part, item }: Entry): Map<string, PartMember> {
  const positions = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const found = new Map<string, PartMember>();
  for (const member of [item, part].flatMap((one) => [...membersOf(one, "parameters").values()])) {
    const { name, in: location } = member.part.value;
    const header = location === "header" ? `${name}`.toLowerCase() : undefined;
    if (header && /^(accept|content-type|authorization)$/.test(header)) continue;
    found.set(`${location} ${location === "path" ? positions.indexOf(`${name}`) : (header ?? name)}`, member);
  }
  return found;
}

// The parts of a part, or of one of its fields, that are objects.
function membersOf(part: Part<Json>, field?: string): Map<string, PartMember> {
  const place = field === undefined ? part.pointer : `${part.pointer}/${field}`;
  const members = (field === undefined ? part.members() : part.membersOf(field)) as [string, Part<Json>][];
  const own = members.filter(([name, { value }]) => isObject(value) && (field === "headers" || !name.startsWith("x-")));
  return new Map(own.map(([name, one]) => [name, toMember(one, `${place}/${escapeToken(name)}`, name)]));
}

function toMember(part: Part<Json>, pointer = part.pointer, name?: string): PartMember {
  const { value } = part;
  return { part, name, pointer, target: part.pointer, value, isRequired: value.required === true };
}

// Callers append the paths to the URL of a server, by default the first one.
function compareServers(step: Step, parts: Parts): void {
  const places = placesOf(parts, "servers");
  const [before, after] = both(parts, ({ value }) => {
    const servers = [value.servers ?? []].flat() as { url: string }[];
    return (servers.length > 0 ? servers : [{ url: "/" }]).map((one) =>
      readServerUrl({ servers: [one] }).replace(/(?<=.)\/$/, ""),
    );
  });
  if (before[0] !== after[0]) step.add("breaking", "servers", places, `URL changed from ${before[0]} to ${after[0]}.`);
  const [removed, added] = [subtract(before, after), subtract(after, before)];
  for (const url of removed) if (url !== before[0]) step.add("breaking", "servers", places, `URL ${url} was removed.`);
  for (const url of added) if (url !== after[0]) step.add("compatible", "servers", places, `URL ${url} was added.`);
}

function styleOf({ in: location = "header", style, explode }: Json): string {
  const own = style ?? (location === "query" || location === "cookie" ? "form" : "simple");
  return (explode ?? own === "form") ? `${own} (explode)` : `${own}`;
}

// The places of parts, or of a field if they have it.
function placesOf(parts: Parts, field?: string): Places {
  const [old, revised] = both(parts, ({ pointer, value }) =>
    field !== undefined && value[field] !== undefined ? `${pointer}/${field}` : pointer,
  );
  return { old, new: revised };
}
