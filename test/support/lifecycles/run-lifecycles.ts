// Runs lifecycles against a server.
import { isDeepStrictEqual } from "node:util";
import { Client, type Params, type Received } from "./client.ts";
import type { Json, Operation, RawDocument } from "./document.ts";
import { bodyOf, type Lifecycle } from "./find-lifecycles.ts";
import { expectKept, findIds, lists, unwrap, withIds } from "./records.ts";
import { createBodyCheck } from "./response-check.ts";
import { makeValue } from "./values.ts";

export interface LifecycleResult {
  readonly path: string;
  /** What went wrong; empty if the lifecycle is complete. */
  readonly faults: readonly string[];
}

interface Created {
  readonly lifecycle: Lifecycle;
  readonly params: Params;
  readonly faults: string[];
  record?: unknown;
}

interface BodyOptions {
  readonly record?: Json;
  readonly wanted?: readonly string[];
  readonly isWhole?: boolean;
  /** The GET of what is sent. */
  readonly get?: Operation;
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
  const client = new Client(document, url, timeout);
  const runner = new Runner(document, lifecycles, client);
  const created: Created[] = [];
  for (const lifecycle of lifecycles) created.push(await runner.begin(lifecycle));
  client.url = await restart();
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

// Rethrows all but that of an operation that the server does not answer.
function ignoreUnanswered(error: Error): undefined {
  if (!error.message.includes("responds with 501")) throw error;
}

class Runner {
  readonly #document: RawDocument;
  readonly #lifecycles: readonly Lifecycle[];
  readonly #client: Client;
  readonly #allows: ReturnType<typeof createBodyCheck>;
  #seed = 1;

  constructor(document: RawDocument, lifecycles: readonly Lifecycle[], client: Client) {
    this.#document = document;
    this.#lifecycles = lifecycles;
    this.#client = client;
    this.#allows = createBodyCheck(document);
  }

  async begin(lifecycle: Lifecycle): Promise<Created> {
    const created: Created = { lifecycle, params: {}, faults: [] };
    return this.#guard(created, async () => {
      const { get, list, change } = lifecycle;
      const [params, sent] = await this.#create(lifecycle);
      Object.assign(created.params, params);
      const read = await this.#client.send(get, params);
      expectKept(sent, read.body, this.#declared(get));
      this.#client.known = Object(unwrap(read.body)) as Json;
      if (list) await this.#expectListed(list, params, read.body, get);
      const other = await this.#create(lifecycle).catch((error: Error) => {
        if (!error.message.includes("responds with 409")) throw error; // the document's example of an id
      });
      const isChosen = lifecycle.create.path === get.path; // by the example of its parameter
      if (other && !isChosen && isDeepStrictEqual(other[0], params)) throw new Error("a second record has the same id");
      if (change) await this.#change(change, get, params);
      created.record = (await this.#client.send(get, params)).body;
    });
  }

  end(created: Created): Promise<Created> {
    return this.#guard(created, async () => {
      const { lifecycle, params, record } = created;
      const again = await this.#client.send(lifecycle.get, params);
      if (!isDeepStrictEqual(again.body, record)) throw new Error("after the restart, the record is another");
      if (lifecycle.remove === undefined) return;
      const isWithBody = this.#document.resolve(lifecycle.remove.raw.requestBody).required === true;
      if (isWithBody) await this.#sendWithBody(lifecycle.remove, params, { record: Object(unwrap(record)) as Json });
      else await this.#client.send(lifecycle.remove, params);
      const { status } = await this.#client.request(lifecycle.get, params);
      if (status !== 404 && status !== 410) throw new Error(`after the deletion, GET responds with ${status}`);
    });
  }

  // A lifecycle that has failed does not go on.
  async #guard(created: Created, run: () => Promise<void>): Promise<Created> {
    if (created.faults.length === 0) await run().catch((error: Error) => created.faults.push(error.message));
    return created;
  }

  // Returns the parameters of the path of a new record, and the body of its request.
  async #create({ create, get, list }: Lifecycle): Promise<[Params, unknown]> {
    const wanted = (list?.parameters ?? []).flatMap((one) =>
      one.in === "query" && one.required === true ? [`${one.name}`, `${one.name}`.replace(/_id$/, "")] : [],
    );
    const own = /\{([^{}]+)\}$/.exec(get.path)?.[1] as string;
    const parents = await this.#parents(get.path);
    if (create.path === get.path) {
      const parameter = get.parameters.find(({ name }) => name === own);
      const params = { ...parents, [own]: this.#text(parameter?.schema) };
      return [params, (await this.#sendWithBody(create, params, { wanted, get })).sent];
    }
    const { sent, response } = await this.#sendWithBody(create, parents, { wanted, get });
    const location = response.headers.get("Location")?.split("/").at(-1);
    for (const id of [...(location ? [decodeURIComponent(location)] : []), ...findIds(response.body, own)]) {
      const params = { ...parents, [own]: id };
      if (`${(await this.#client.request(get, params)).status}`.startsWith("2")) return [params, sent];
    }
    throw new Error("the new record is not found");
  }

  // Returns values for the parameters of a path but the last: of a new record each, unless the server needs a handler to create it: then
  // it knows none, so that any can have records below it.
  async #parents(path: string): Promise<Params> {
    const params: Record<string, string> = {};
    const names = [...path.matchAll(/\{([^{}]+)\}/g)].slice(0, -1);
    for (const { 1: name = "", index } of names) {
      const prefix = path.slice(0, index + name.length + 2);
      const parent = this.#findParent(prefix);
      const [created] = (parent && (await this.#create(parent).catch(ignoreUnanswered))) ?? [];
      // Its path can have other names.
      const own = [...(parent?.path ?? "").matchAll(/\{([^{}]+)\}/g)].at(-1)?.[1] ?? "";
      const { operations } = this.#document;
      const declared =
        operations.find((one) => one.path === path) ?? operations.find((one) => one.path.startsWith(prefix));
      const schema = declared?.parameters.find((one) => one.name === name && one.in === "path")?.schema;
      params[name] = created?.[own] ?? this.#text(schema);
      const scope = Object.values(created ?? {}).slice(0, -1);
      for (const [at, value] of scope.entries()) params[names[at]?.[1] ?? ""] = value;
    }
    return params;
  }

  // A parent can have no list, or be created by a response with less of it.
  #findParent(path: string): Lifecycle | undefined {
    const shapeOf = (one: string) => one.replaceAll(/\{[^{}]+\}/g, "{}");
    const find = (method: string, wanted: string) =>
      this.#document.operations.find((one) => one.method === method && shapeOf(one.path) === shapeOf(wanted));
    const known = this.#lifecycles.find((one) => shapeOf(one.path) === shapeOf(path));
    const [get, create] = [find("GET", path), find("POST", path.replace(/\/\{[^{}]+\}$/, ""))];
    const isRecord = get && create && bodyOf(this.#document, create);
    return (
      known ?? (isRecord && { path: get.path, get, create, list: undefined, change: undefined, remove: undefined })
    );
  }

  #text(schema: unknown): string {
    const { example } = this.#document.resolve(schema);
    const value = typeof example === "string" ? example : makeValue(this.#document, schema, this.#seed++);
    return `${value}`.replaceAll(" ", "-");
  }

  async #change(change: Operation, get: Operation, params: Params): Promise<void> {
    const { sent } = await this.#sendWithBody(change, params, { record: this.#client.known, get });
    expectKept(sent, (await this.#client.send(get, params)).body, this.#declared(get));
  }

  // The names of the members of a record, also of one in an object.
  #declared(get: Operation): ReadonlySet<string> {
    const properties = this.#document.properties(this.#document.success(get));
    const isWrapper = Object.keys(properties).length <= 2;
    const inner = !isWrapper
      ? []
      : Object.values(properties).flatMap((one) => Object.entries(this.#document.properties(one)));
    const isReturned = ([, schema]: readonly [string, Json]) => this.#document.resolve(schema).writeOnly !== true;
    return new Set([...Object.entries(properties), ...inner].filter(isReturned).map(([name]) => name));
  }

  async #expectListed(list: Operation, params: Params, record: unknown, get: Operation): Promise<void> {
    const own = /\{([^{}]+)\}$/.exec(get.path)?.[1] as string;
    if (this.#client.excludes(list, this.#declared(get))) return;
    let page: Received | undefined = await this.#client.send(list, params);
    for (let pages = 0; page !== undefined && pages < 50; pages++) {
      if (lists(page.body, params[own] as string, record)) return;
      page = await this.#client.next(list, page);
    }
    throw new Error(`the list does not have ${JSON.stringify(record).slice(0, 200)}`);
  }

  // Like a client that reads what a 501 says, adds the members that it names, or else all that the record requires.
  async #sendWithBody(operation: Operation, params: Params, options: BodyOptions = {}) {
    const wanted = [...(options.wanted ?? [])];
    for (let name = ""; !wanted.includes(name); wanted.push(name))
      try {
        return await this.#sendBody(operation, params, { ...options, wanted });
      } catch (error) {
        const { message } = error as Error;
        if (!message.includes("responds with 501")) throw error;
        [, name = ""] = /must have the field '([^']+)'/.exec(message) ?? [];
        if (name === "") break;
      }
    return this.#sendBody(operation, params, { ...options, isWhole: true });
  }

  // `record` is what is changed, and `wanted` has names of optional members.
  async #sendBody(operation: Operation, params: Params, { record = {}, ...options }: BodyOptions) {
    const found = bodyOf(this.#document, operation);
    const patch = found && this.#makePatch(found.schema, operation, record);
    if (found && patch)
      return {
        sent: patch.change,
        response: await this.#client.send(operation, params, { type: found.type, value: patch.operations }),
      };
    const made = found && this.#makeBody(operation, found, options);
    const sent = await this.#withOthers(operation, withIds(made, record, params));
    return { sent, response: await this.#client.send(operation, params, found && { type: found.type, value: sent }) };
  }

  // Of the alternatives of a body, the first that the schema allows is sent.
  #makeBody(operation: Operation, { type, schema }: { type: string; schema: unknown }, options: BodyOptions) {
    const response = this.#document.success(options.get ?? operation);
    const names = Object.keys(this.#document.properties(schema));
    const members = Object.entries(this.#document.properties(response));
    const wrapped = members.length <= 2 && !members.some(([name]) => names.includes(name)) ? members : [];
    const record = wrapped.find(([, one]) => Object.keys(this.#document.properties(one)).length > 0)?.[1] ?? response;
    const seed = this.#seed++;
    const choices = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((choice) => [
      { choice, sendsReadOnly: false },
      { choice, sendsReadOnly: true },
    ]);
    const bodies = choices.map((one) => makeValue(this.#document, schema, seed, { ...options, record, ...one }));
    const allowed = bodies.filter((one) => this.#allows(operation, type, one));
    const { required } = this.#document.shape(record);
    const count = (body: unknown) =>
      required.filter((name) => Object.hasOwn(Object(unwrap(body)) as Json, name)).length;
    return options.isWhole
      ? (allowed.toSorted((a, b) => count(b) - count(a))[0] ?? bodies[0])
      : (allowed[0] ?? bodies[0]);
  }

  // A JSON Patch (RFC 6902) of a text of a record, or of an object, if its values are objects; undefined if the body is none.
  #makePatch(schema: unknown, { path }: Operation, record: Json) {
    const { items, type } = this.#document.resolve(schema);
    const operation = this.#document.properties(items);
    if (type !== "array" || operation.op === undefined) return undefined;
    const isOfObject = this.#document.resolve(operation.value).type === "object";
    const properties = this.#document.properties(this.#document.success(this.#document.find("GET", path) as Operation));
    const isFree = ([name, value]: [string, unknown]) => {
      const { format, enum: values, pattern, readOnly } = this.#document.resolve(properties[name]);
      const isText = typeof value === "string" && [format, values, pattern].every((one) => one === undefined);
      return readOnly !== true && (isOfObject ? Object(value) === value && !Array.isArray(value) : isText);
    };
    const [name] = Object.entries(record).find(isFree) ?? [];
    if (name === undefined) throw new Error("a record has no text for a JSON Patch");
    const value = isOfObject ? record[name] : `text ${this.#seed++}`;
    return { change: { [name]: value }, operations: [{ op: "replace", path: `/${name}`, value }] };
  }

  // A request has the id of another record where a response has the record: it is created before.
  async #withOthers(operation: Operation, sent: unknown): Promise<unknown> {
    if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
    const properties = this.#document.properties(this.#document.success(operation));
    const members = Object.entries(sent).map(async ([name, value]) => {
      const reference = Object(properties[name]).$ref as unknown;
      const isShown = ({ get }: Lifecycle) => Object(this.#document.success(get)).$ref === reference;
      const other = typeof value === "string" && reference ? this.#lifecycles.find(isShown) : undefined;
      const [params] = (other && (await this.#create(other).catch(ignoreUnanswered))) ?? [];
      return [name, Object.values(params ?? {}).at(-1) ?? value] as const;
    });
    return Object.fromEntries(await Promise.all(members));
  }
}
