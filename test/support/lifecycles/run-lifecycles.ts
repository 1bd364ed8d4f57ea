// Runs lifecycles against a server.
import { isDeepStrictEqual } from "node:util";
import { type Json, list as listOf, type Operation, type RawDocument } from "./document.ts";
import { bodyOf, type Lifecycle } from "./find-lifecycles.ts";
import { createResponseCheck } from "./response-check.ts";
import { encodeForm, makeValue } from "./values.ts";

export interface LifecycleResult {
  readonly path: string;
  /** What went wrong; empty if the lifecycle is complete. */
  readonly faults: readonly string[];
}

interface Response {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

interface Created {
  readonly lifecycle: Lifecycle;
  readonly params: Readonly<Record<string, string>>;
  readonly faults: string[];
  record?: unknown;
}

interface RunOptions {
  /** Restarts the server. Returns its URL. */
  readonly restart: () => Promise<string>;
  /** The maximum time of a request in milliseconds. */
  readonly timeout?: number;
}

/** Runs lifecycles one after the other: all up to the changes, then a restart, then the rest. */
export async function runLifecycles(
  document: RawDocument,
  lifecycles: readonly Lifecycle[],
  url: string,
  { restart, timeout = 10_000 }: RunOptions,
): Promise<readonly LifecycleResult[]> {
  const runner = new Runner(document, lifecycles, url, timeout);
  const created: Created[] = [];
  for (const lifecycle of lifecycles) created.push(await runner.begin(lifecycle));
  runner.url = await restart();
  // Records below others end before them.
  const deepestFirst = created.toSorted((a, b) => b.lifecycle.path.length - a.lifecycle.path.length);
  for (const one of deepestFirst) await runner.end(one);
  return created.map(({ lifecycle, faults }) => ({ path: lifecycle.path, faults }));
}

/** Returns how many lifecycles are complete, and what went wrong with the others, one in a line. */
export function describeResults(results: readonly LifecycleResult[]): string {
  const complete = results.filter(({ faults }) => faults.length === 0).length;
  const lines = results.flatMap(({ path, faults }) => (faults.length > 0 ? [`${path}: ${faults.join("; ")}`] : []));
  return [`${complete} of ${results.length} lifecycles`, ...lines].join("\n");
}

class Runner {
  url: string;
  readonly #document: RawDocument;
  readonly #lifecycles: readonly Lifecycle[];
  readonly #timeout: number;
  readonly #check: ReturnType<typeof createResponseCheck>;
  #seed = 1;
  #known: Json = {}; // the members of the last record

  constructor(document: RawDocument, lifecycles: readonly Lifecycle[], url: string, timeout: number) {
    this.#document = document;
    this.#lifecycles = lifecycles;
    this.#timeout = timeout;
    this.#check = createResponseCheck(document);
    this.url = url;
  }

  async begin(lifecycle: Lifecycle): Promise<Created> {
    const created: Created = { lifecycle, params: {}, faults: [] };
    return this.#guard(created, async () => {
      const { get, list, change } = lifecycle;
      const [params, sent] = await this.#create(lifecycle);
      Object.assign(created.params, params);
      const read = await this.#send(get, params);
      expectKept(sent, read.body);
      this.#known = Object(unwrap(read.body)) as Json;
      if (list) await this.#expectListed(list, params, read.body, get);
      const other = await this.#create(lifecycle).catch((error: Error) => {
        if (!error.message.includes("responds with 409")) throw error; // the document's example of an id
      });
      if (other && isDeepStrictEqual(other[0], params)) throw new Error("a second record has the same id");
      if (change) await this.#change(change, get, params, read.body);
      created.record = (await this.#send(get, params)).body;
    });
  }

  end(created: Created): Promise<Created> {
    return this.#guard(created, async () => {
      const { lifecycle, params, record } = created;
      const again = await this.#send(lifecycle.get, params);
      if (!isDeepStrictEqual(again.body, record)) throw new Error("after the restart, the record is another");
      if (lifecycle.remove === undefined) return;
      await this.#send(lifecycle.remove, params);
      const { status } = await this.#request(lifecycle.get, params);
      if (status !== 404 && status !== 410) throw new Error(`after the deletion, GET responds with ${status}`);
    });
  }

  // A lifecycle that has failed does not go on.
  async #guard(created: Created, run: () => Promise<void>): Promise<Created> {
    if (created.faults.length === 0) await run().catch((error: Error) => created.faults.push(error.message));
    return created;
  }

  // Returns the parameters of the path of a new record, and the body of its request.
  async #create({ create, get }: Lifecycle): Promise<[Readonly<Record<string, string>>, unknown]> {
    const own = /\{([^{}]+)\}$/.exec(get.path)?.[1] as string;
    const parents = await this.#parents(get.path);
    if (create.path === get.path) {
      const parameter = get.parameters.find(({ name }) => name === own);
      const params = { ...parents, [own]: this.#text(parameter?.schema) };
      return [params, await this.#sendBody(create, params)];
    }
    const { sent, response } = await this.#sendWithBody(create, parents);
    const location = response.headers.get("Location")?.split("/").at(-1);
    for (const id of [...(location ? [decodeURIComponent(location)] : []), ...findIds(response.body, own)]) {
      const params = { ...parents, [own]: id };
      if ((await this.#request(get, params)).status === 200) return [params, sent];
    }
    throw new Error("the new record is not found");
  }

  // Returns values for the parameters of a path but the last: of a new record each, if one can be created.
  async #parents(path: string): Promise<Readonly<Record<string, string>>> {
    const params: Record<string, string> = {};
    const names = [...path.matchAll(/\{([^{}]+)\}/g)].slice(0, -1);
    for (const { 1: name = "", index } of names) {
      const prefix = path.slice(0, index + name.length + 2);
      const parent = this.#lifecycles.find((one) => one.path === prefix);
      if (parent) Object.assign(params, (await this.#create(parent))[0]);
      else {
        const declared = this.#document.operations.find((one) => one.path.startsWith(prefix));
        params[name] = this.#text(declared?.parameters.find((one) => one.name === name && one.in === "path")?.schema);
      }
    }
    return params;
  }

  #text(schema: unknown): string {
    const { example } = this.#document.resolve(schema);
    const value = typeof example === "string" ? example : makeValue(this.#document, schema, this.#seed++);
    return `${value}`.replaceAll(" ", "-");
  }

  async #change(change: Operation, get: Operation, params: Created["params"], record: unknown): Promise<void> {
    const sent = await this.#sendBody(change, params, this.#known);
    const { body } = await this.#send(get, params);
    expectKept(sent, body);
    const members = Object(unwrap(body)) as Json;
    const differs = ([name, value]: [string, unknown]) =>
      typeof members[name] === typeof value && !isDeepStrictEqual(members[name], value);
    if (isDeepStrictEqual(body, record) && Object.entries(Object(sent) as Json).some(differs))
      throw new Error("the change has no effect");
  }

  async #expectListed(list: Operation, params: Created["params"], record: unknown, get: Operation): Promise<void> {
    const own = /\{([^{}]+)\}$/.exec(get.path)?.[1] as string;
    let page = await this.#send(list, params);
    for (let pages = 0; pages < 50; pages++) {
      if (contains(page.body, params[own] as string)) return;
      const [, next] = /<([^<>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "") ?? [];
      if (next === undefined) break;
      const target = new URL(next, this.url);
      page = await this.#fetch(`${this.url}${target.pathname}${target.search}`, {
        headers: this.#credentials(list).headers,
      });
    }
    throw new Error(`the list does not have ${JSON.stringify(record).slice(0, 80)}`);
  }

  async #sendBody(operation: Operation, params: Created["params"], record: Json = {}): Promise<unknown> {
    return (await this.#sendWithBody(operation, params, record)).sent;
  }

  // `record` is what is changed.
  async #sendWithBody(operation: Operation, params: Created["params"], record: Json = {}) {
    const found = bodyOf(this.#document, operation);
    const made = found && this.#withKnownTexts(operation, makeValue(this.#document, found.schema, this.#seed++));
    const sent = withIds(made, record, Object.values(params));
    return { sent, response: await this.#send(operation, params, found && { type: found.type, value: sent }) };
  }

  // A response can restrict a text that a request does not.
  #withKnownTexts(operation: Operation, sent: unknown): unknown {
    if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
    const properties = this.#document.properties(this.#document.success(operation));
    const members = Object.entries(sent).map(([name, value]) => {
      const [first] = listOf(this.#document.resolve(properties[name]).enum);
      return [name, typeof value === "string" && typeof first === "string" ? first : value];
    });
    return Object.fromEntries(members);
  }

  // Sends a request, whose response must be a success that the document declares.
  async #send(operation: Operation, params: Created["params"], body?: { type: string; value: unknown }) {
    const response = await this.#request(operation, params, body);
    const { method, path } = operation;
    const text = JSON.stringify(response.body)?.slice(0, 300);
    if (response.status < 200 || response.status > 299)
      throw new Error(`${method} ${path} responds with ${response.status} ${text}`);
    const problem = this.#check(operation, response.status, response.body);
    if (problem) throw new Error(`${method} ${path}: the response ${problem}, in ${text}`);
    return response;
  }

  #request(
    operation: Operation,
    params: Created["params"],
    body?: { type: string; value: unknown },
  ): Promise<Response> {
    const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? "1"),
    );
    const required = operation.parameters.filter((one) => one.required === true && one.in !== "path");
    const sampleOf = ({ name, example, schema }: Json) =>
      `${this.#filterOf(`${name}`) ?? example ?? makeValue(this.#document, schema, 0)}`;
    const { headers, query: keys } = this.#credentials(operation);
    const query = new URLSearchParams(keys);
    for (const one of required)
      if (one.in === "query") query.set(`${one.name}`, sampleOf(one));
      else if (one.in === "header") headers[`${one.name}`] = sampleOf(one);
    if (body) headers["Content-Type"] = body.type === "*/*" ? "application/json" : body.type;
    const isForm = body?.type.includes("form") ?? false;
    return this.#fetch(`${this.url}${path}${query.size > 0 ? `?${query}` : ""}`, {
      method: operation.method,
      headers,
      ...(body && { body: isForm ? encodeForm(body.value).join("&") : JSON.stringify(body.value) }),
    });
  }

  // A required filter selects the last record.
  #filterOf(name: string): unknown {
    const value = this.#known[name] ?? Object(this.#known[name.replace(/_id$/, "")]).id;
    return typeof value === "object" ? undefined : value;
  }

  async #fetch(url: string, options: RequestInit): Promise<Response> {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(this.#timeout) });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  }

  // Any credential of the first security requirement.
  #credentials({ raw }: Operation): { headers: Record<string, string>; query: Record<string, string> } {
    const [headers, query]: [Record<string, string>, Record<string, string>] = [{}, {}];
    const { security, components } = this.#document.root as { security?: unknown; components?: Json };
    const [needed] = listOf(raw.security ?? security);
    for (const name of Object.keys(Object(needed))) {
      const scheme = this.#document.resolve(Object(components?.securitySchemes)[name]);
      if (scheme.type === "apiKey" && scheme.in === "query") query[`${scheme.name}`] = "secret";
      else if (scheme.type === "apiKey")
        headers[scheme.in === "cookie" ? "Cookie" : `${scheme.name}`] =
          scheme.in === "cookie" ? `${scheme.name}=secret` : "secret";
      else
        headers.Authorization =
          `${scheme.scheme}`.toLowerCase() === "basic" ? `Basic ${btoa("a:secret")}` : "Bearer secret";
    }
    return { headers, query };
  }
}

// The values of a response that could be the id of a record.
function findIds(body: unknown, parameter: string): string[] {
  const found: { name: string; value: string; depth: number }[] = [];
  const visit = (value: unknown, depth: number) => {
    for (const [name, member] of Object.entries(Object(value) as Json)) {
      if (typeof member === "string" || typeof member === "number") found.push({ name, value: `${member}`, depth });
      else if (typeof member === "object" && depth < 3) visit(member, depth + 1);
    }
  };
  visit(body, 0);
  const rank = ({ name, depth }: { name: string; depth: number }) =>
    [parameter, "id", "uid", "uuid", "key", "slug", "number", "name"].indexOf(name) + (depth > 1 ? 100 : 0);
  const usual = found.filter((one) => one.name === parameter || /id$|^(key|slug|number|name|code)$/i.test(one.name));
  return [...new Set(usual.toSorted((a, b) => rank(a) - rank(b)).map(({ value }) => value))].slice(0, 12);
}

// A change keeps the members that are ids of the path.
function withIds(sent: unknown, record: Json, ids: readonly string[]): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const members = Object.entries(sent).map(([name, value]) => {
    return [name, ids.includes(`${record[name]}`) ? record[name] : value];
  });
  return Object.fromEntries(members);
}

function contains(value: unknown, id: string): boolean {
  if (typeof value !== "object" || value === null) return `${value}` === id;
  return Object.values(value).some((member) => contains(member, id));
}

// The record, or the one in an envelope.
function unwrap(body: unknown): unknown {
  const members = Object.values(Object(body) as Json);
  const objects = members.filter((one) => typeof one === "object" && one !== null && !Array.isArray(one));
  return members.length <= 2 && objects.length === 1 ? objects[0] : body;
}

// What was sent under the name of a member, in its type, is in the record.
function expectKept(sent: unknown, body: unknown): void {
  const record = Object(unwrap(body)) as Json;
  const isBare = Object.keys(Object(sent) as Json).some((name) => Object.hasOwn(record, name));
  const wanted = Object(isBare ? sent : unwrap(sent)) as Json;
  for (const [name, value] of Object.entries(wanted))
    if (Object.hasOwn(record, name) && ["string", "number", "boolean"].includes(typeof value))
      if (typeof record[name] === typeof value && record[name] !== value)
        throw new Error(`${name} is ${JSON.stringify(record[name])}, and not ${JSON.stringify(value)}`);
}
