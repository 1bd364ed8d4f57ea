// What calls of clients do to records below records, if they run one after the other, and what clients see.
import { isDeepStrictEqual } from "node:util";
import { type Contradiction, findContradiction, type Model, type TimedCall } from "./linearizability.ts";

/** What a client writes to a record. */
export interface Content {
  /** Of one creation only: names the records above as its client knew them. */
  readonly mark: string;
  readonly note: string;
  readonly count: number;
  /** Grows only. */
  readonly log: readonly string[];
}

/** A record in a response. */
export interface SeenRecord {
  readonly path: string;
  readonly content: Content;
}

/** A JSON Merge Patch, or a JSON Patch. */
export type Patch =
  | Partial<Content>
  | readonly { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }[];

/** A call, with what a response has said. */
export interface RecordCall extends TimedCall {
  readonly method: "create" | "delete" | "patch" | "get" | "list";
  /** The path of a record, or that of its collection if a record is created whose id the server makes, or if records are listed. */
  readonly path: string;
  /** For `create`. Its mark is the Idempotency-Key. */
  readonly content?: Content;
  readonly patch?: Patch;
  /** The content whose ETag was sent. */
  readonly ifMatch?: Content;
  /** Undefined if there was none, or one that does not say whether the call had an effect. */
  readonly response?: { readonly status: number; readonly records: readonly SeenRecord[]; readonly isReplay?: boolean };
}

// By path. Those that start with "key " are the paths of the records that were created, by mark.
type State = ReadonlyMap<string, Content | string>;

interface Expected {
  /** The statuses of a response. */
  readonly status: readonly number[];
  /** The records of the response; undefined if they are not known. */
  readonly records?: readonly SeenRecord[];
  readonly isReplay?: boolean;
  readonly state: State;
}

/** Returns what contradicts the calls, a sentence each; empty for a history without faults. */
export function checkHistory(calls: readonly RecordCall[]): readonly string[] {
  // Records below different ones at the top have nothing in common.
  const parts = Map.groupBy(calls, ({ path }) => path.split("/").slice(0, 3).join("/"));
  return [...parts].flatMap(([path, ofPath]) => {
    const found = findContradiction(ofPath, createModel(ofPath));
    return found ? [`${path}: ${describe(found, ofPath)}`] : [];
  });
}

/** Returns the model of the calls to one record without others above it, and to those below it. */
function createModel(calls: readonly RecordCall[]): Model<RecordCall, State> {
  // The server makes ids. That of a record without a response is known if anybody has seen its mark.
  const seen = calls.flatMap(({ response }) => response?.records ?? []);
  const paths = new Map(seen.toReversed().map(({ path, content }) => [content.mark, path]));
  const serialized = new WeakMap<State, string>();
  return {
    initial: new Map(),
    serialize: (state) => {
      const text = serialized.get(state) ?? JSON.stringify([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
      serialized.set(state, text);
      return text;
    },
    apply: (state, call) => {
      const { response } = call;
      const expected = run(state, call, paths);
      if (response === undefined) return expected.state;
      const { status, records = response.records, isReplay = false } = expected;
      const isSame =
        status.includes(response.status) &&
        isReplay === (response.isReplay ?? false) &&
        isDeepStrictEqual(inOrder(records), inOrder(response.records));
      return isSame ? expected.state : undefined;
    },
  };
}

const inOrder = (records: readonly SeenRecord[]) => records.toSorted((a, b) => (a.path < b.path ? -1 : 1));

function run(state: State, call: RecordCall, paths: ReadonlyMap<string, string>): Expected {
  const { method, path, ifMatch } = call;
  const failed = (...status: number[]): Expected => ({ status, records: [], state });
  if (method === "create") return create(state, call, paths);
  // The record above is read before the list: if it is deleted meanwhile, the list is empty.
  if (method === "list")
    return { status: isBelow(state, path) ? [200] : [404, 200], records: listOf(state, path), state };
  const content = state.get(path) as Content | undefined;
  if (content === undefined) return ifMatch ? failed(404, 412) : failed(404);
  if (method === "get") return { status: [200], records: [{ path, content }], state };
  if (method === "delete") {
    const remaining = [...state].filter(([one]) => one !== path && !one.startsWith(`${path}/`));
    return { status: [204], records: [], state: new Map(remaining) };
  }
  if (ifMatch && !isDeepStrictEqual(ifMatch, content)) return failed(412);
  const patched = applyPatch(content, call.patch as Patch);
  if (patched === undefined) return failed(409);
  return { status: [200], records: [{ path, content: patched }], state: new Map(state).set(path, patched) };
}

function create(state: State, call: RecordCall, paths: ReadonlyMap<string, string>): Expected {
  const content = call.content as Content;
  const isChosen = !isCollection(call.path);
  const path = isChosen ? call.path : (paths.get(content.mark) ?? `${call.path}/unknown ${content.mark}`);
  const created = { status: [201], records: [{ path, content }] };
  if (isChosen)
    return state.has(path)
      ? { status: [409], records: [], state }
      : { ...created, state: new Map(state).set(path, content) };
  if (!isBelow(state, call.path)) return { status: [404], records: [], state };
  // A replay has the record as it is, or as it was created.
  const key = `key ${content.mark}`;
  if (state.has(key))
    return { ...created, records: [{ path, content: (state.get(path) as Content) ?? content }], isReplay: true, state };
  return { ...created, state: new Map(state).set(path, content).set(key, path) };
}

/** Returns the content after a patch; undefined if a test of it fails. */
function applyPatch(content: Content, patch: Patch): Content | undefined {
  if (!isOperations(patch)) return { ...content, ...patch };
  let patched = content;
  for (const { op, path, value } of patch) {
    const name = path.split("/")[1] as keyof Content;
    if (op === "test" && patched[name] !== value) return undefined;
    if (op === "replace") patched = { ...patched, [name]: value };
    if (op === "add") patched = { ...patched, log: [...patched.log, value as string] };
  }
  return patched;
}

const isOperations = (patch: Patch) => Array.isArray(patch);

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

/** Returns whether a path is that of a collection: /shelves/a/books. */
const isCollection = (path: string) => path.split("/").length % 2 === 0;

/** Returns whether the record exists above a collection. */
const isBelow = (state: State, collection: string) => state.has(parentOf(collection));

function listOf(state: State, collection: string): readonly SeenRecord[] {
  return [...state].flatMap(([path, content]) =>
    parentOf(path) === collection ? [{ path, content: content as Content }] : [],
  );
}

function describe({ next, state, isProven }: Contradiction<RecordCall, State>, calls: readonly RecordCall[]): string {
  const [call, ...others] = next;
  if (call === undefined) throw new Error("No call is left.");
  const records = [...state].filter(([path]) => path.startsWith("/"));
  const before = calls.filter((one) => one.end < call.end && one.method !== "get").sort((a, b) => a.end - b.end);
  const unanswered = calls.filter((one) => one.response === undefined && one.start < call.end);
  const list = (title: string, all: readonly RecordCall[]) => all.map((one) => `\n  ${title}: ${textOf(one)}`).join("");
  return [
    `${isProven ? "no order of the calls explains" : "no order was found that explains"} ${textOf(call)}`,
    `\n  records: ${JSON.stringify(records)}`,
    list("before", before.slice(-12)),
    list("meanwhile", others.slice(0, 12)),
    list("without a response", unanswered),
  ].join("");
}

function textOf({ method, path, content, patch, ifMatch, response, start, end }: RecordCall): string {
  const sent = [content, patch, ifMatch && { ifMatch }].filter(Boolean).map((one) => JSON.stringify(one));
  const received = response && [response.status, response.isReplay && "replay", JSON.stringify(response.records)];
  return [method, path, ...sent, "->", ...(received ?? ["none"]), `(from ${start.toFixed(1)} to ${end.toFixed(1)} ms)`]
    .filter(Boolean)
    .join(" ");
}
