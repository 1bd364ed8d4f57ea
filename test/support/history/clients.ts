// Random clients of the document, which record their calls. They share what they know: the marks and paths of records.
import { createRandom, type Random } from "../random.ts";
import { pause } from "../wait.ts";
import type { Content, Patch, RecordCall, SeenRecord } from "./record-model.ts";

/** A process that serves the document. `url` is undefined while it does not run. */
export interface Server {
  url: string | undefined;
}

const namesAtATime = 3; // few, so that the calls meet
const callsPerNames = 300; // of all clients; then others are used, so that a history remains short
const knownPaths = 12; // of the latest records
const timeout = 10_000; // milliseconds of a request
const maxRetries = 50; // of a creation without a response

type Sent = Omit<RecordCall, "start" | "end" | "response">;

/** A response. Undefined if there was none, or one that does not say whether the call had an effect. */
type Received = (NonNullable<RecordCall["response"]> & { readonly tag: string | null }) | undefined;

/** Sends calls to processes that may be killed, and records them. */
export class Clients {
  readonly calls: RecordCall[] = [];
  readonly #servers: readonly Server[];
  readonly #seed: number;
  readonly #random: Random;
  readonly #known = new Map<string, string>(); // the paths of records, and their marks
  #marks = 0;
  #deletionTime = 10;
  #onDelete: ((server: Server) => void) | undefined;

  constructor(servers: readonly Server[], seed: number) {
    this.#servers = servers;
    this.#seed = seed;
    this.#random = createRandom(seed);
  }

  /** The milliseconds that the last deletion of a shelf took. */
  get deletionTime(): number {
    return this.#deletionTime;
  }

  /** Resolves when a process gets the next request to delete a shelf with books. */
  nextDelete(): Promise<Server> {
    return new Promise((resolve) => {
      this.#onDelete = resolve;
    });
  }

  /** Sends random calls, one after the other, until `isDone` returns true. */
  async run(client: number, isDone: () => boolean): Promise<void> {
    const random = createRandom(this.#seed * 1_000 + client);
    const weighted: [number, () => Promise<unknown>][] = [
      [4, () => this.#create(this.#shelf(random))],
      [3, () => this.#send({ method: "delete", path: this.#shelf(random) })],
      [8, () => this.#create(this.#collection(random))],
      [2, () => this.#send({ method: "delete", path: this.#pick(random) })],
      [5, () => this.#list(this.#collection(random))],
      [2, () => this.#get(this.#pick(random))],
      [8, () => this.#patch(random)],
    ];
    const actions = weighted.flatMap(([weight, action]) => Array<typeof action>(weight).fill(action));
    while (!isDone()) await random.pick(actions)();
  }

  /** Reads all that is below the shelves, deletes them, and creates them again: nothing may be below them. */
  async readAll(): Promise<void> {
    const shelves = new Set(this.calls.map(({ path }) => path.split("/").slice(0, 3).join("/")));
    for (const path of shelves) {
      await this.#get(path);
      const books = await this.#list(`${path}/books`);
      for (const book of books?.records ?? []) await this.#list(`${book.path}/notes`);
      await this.#send({ method: "delete", path });
      await this.#create(path);
      await this.#list(`${path}/books`);
    }
  }

  #get(path: string): Promise<Received> {
    return this.#send({ method: "get", path });
  }

  #list(path: string): Promise<Received> {
    return this.#send({ method: "list", path });
  }

  #shelf({ int }: Random): string {
    return `/shelves/${Math.floor(this.calls.length / callsPerNames)}-${int(namesAtATime)}`;
  }

  // A record, mostly one that exists.
  #pick(random: Random): string {
    const shelf = this.#shelf(random);
    const below = [...this.#known.keys()].filter((path) => path.startsWith(`${shelf}/`)).slice(-knownPaths);
    return below.length === 0 || random.chance(4) ? shelf : random.pick(below);
  }

  // The collection of the books of a shelf, or of the notes of a book.
  #collection(random: Random): string {
    const path = this.#pick(random);
    const [, , shelf, , book] = path.split("/");
    return book === undefined || random.chance(2) ? `/shelves/${shelf}/books` : `/shelves/${shelf}/books/${book}/notes`;
  }

  // With the same Idempotency-Key until there is a response. Each try is a call of its own.
  async #create(path: string): Promise<void> {
    const above = this.#known.get(path.slice(0, path.lastIndexOf("/")));
    const content: Content = {
      mark: [this.#marks++, above].filter((one) => one !== undefined).join(" of "),
      note: "",
      count: 0,
      log: [],
    };
    for (let retry = 0; retry < maxRetries; retry++) {
      const response = await this.#send({ method: "create", path, content });
      if (response !== undefined || isShelf(path)) return;
    }
  }

  async #patch(random: Random): Promise<void> {
    const path = this.#pick(random);
    const read = await this.#get(path);
    const content = read?.records[0]?.content;
    const { count, mark } = content ?? { count: 0, mark: "" };
    const token = `${this.#marks++}`;
    const kinds: (() => Pick<Sent, "patch" | "ifMatch">)[] = [
      () => ({ patch: { note: token } }),
      () => ({ patch: { count: count + 1 }, ...(content && { ifMatch: content }) }),
      () => ({ patch: [{ op: "add", path: "/log/-", value: token }] }),
      () => ({
        patch: [
          { op: "test", path: "/mark", value: mark },
          { op: "test", path: "/count", value: count },
          { op: "replace", path: "/count", value: count + 1 },
          { op: "add", path: "/log/-", value: token },
        ],
      }),
    ];
    await this.#send({ method: "patch", path, ...random.pick(kinds)() }, read?.tag);
  }

  async #send(call: Sent, tag?: string | null): Promise<Received> {
    const server = await this.#findServer();
    const hasBooks = () => [...this.#known.keys()].some((path) => path.startsWith(`${call.path}/books/`));
    if (call.method === "delete" && isShelf(call.path) && this.#known.has(call.path) && hasBooks()) {
      this.#onDelete?.(server);
      this.#onDelete = undefined;
    }
    const start = performance.now();
    const response = await request(`${server.url}`, call, tag ?? null);
    if (response === "not sent") return undefined;
    const end = response === undefined ? Number.POSITIVE_INFINITY : performance.now();
    this.calls.push({ ...call, start, end, ...(response && { response }) });
    for (const { path, content } of response?.records ?? []) this.#known.set(path, content.mark);
    if (response?.status === 204 && isShelf(call.path)) this.#deletionTime = end - start;
    if (response?.status === 404 || response?.status === 204) this.#forget(call.path);
    return response;
  }

  #forget(path: string): void {
    for (const one of this.#known.keys()) if (one === path || one.startsWith(`${path}/books/`)) this.#known.delete(one);
  }

  async #findServer(): Promise<Server> {
    for (;;) {
      const running = this.#servers.filter(({ url }) => url !== undefined);
      if (running.length > 0) return this.#random.pick(running);
      await pause(10);
    }
  }
}

const isShelf = (path: string) => path.split("/").length === 3;

const methods = { create: "POST", delete: "DELETE", patch: "PATCH", get: "GET", list: "GET" };

async function request(url: string, call: Sent, tag: string | null): Promise<Received | "not sent"> {
  const { method, path, content, ifMatch } = call;
  const [, collection, name] = path.split("/");
  const isNamed = method === "create" && isShelf(path);
  const body = isNamed ? { name, ...content } : (content ?? call.patch);
  const init = {
    method: methods[method],
    headers: {
      ...(body && { "Content-Type": typeOf(call) }),
      ...(content && !isNamed && { "Idempotency-Key": `"${content.mark}"` }),
      ...(ifMatch && { "If-Match": `${tag}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeout),
  };
  try {
    const response = await fetch(`${url}${isNamed ? `/${collection}` : path}`, init);
    const text = await response.text();
    const { status, headers } = response;
    if (status >= 500) return undefined;
    const found = status < 300 && text !== "" ? [JSON.parse(text)].flat() : [];
    const isReplay = headers.get("Idempotency-Replayed") === "true";
    const records = found.map((one) => toRecord(call, one));
    return { status, records, tag: headers.get("ETag"), ...(isReplay && { isReplay }) };
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code === "ECONNREFUSED" ? "not sent" : undefined;
  }
}

function typeOf({ patch }: { readonly patch?: Patch | undefined }): string {
  if (patch === undefined) return "application/json";
  return Array.isArray(patch) ? "application/json-patch+json" : "application/merge-patch+json";
}

function toRecord({ path }: Sent, record: Content & { readonly id?: number }): SeenRecord {
  const { id, mark, note, count, log } = record;
  const isCollection = path.split("/").length % 2 === 0;
  return { path: isCollection ? `${path}/${id}` : path, content: { mark, note, count, log } };
}
