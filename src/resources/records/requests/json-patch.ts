// JSON Patch (RFC 6902), with JSON pointers (RFC 6901). Not json-p3, whose copies are references to the same object. Not
// fast-json-patch, whose copies can't have bigints, and which adds to an array behind its end. Neither limits what a patch makes.
import { ExpectedError, isTooDeep, parseJson, setOwn, shorten, toJson } from "../../../lib/index.ts";

const maxOperations = 1_000;
const maxSteps = 1_000_000; // names that are compared, and 256 items each that are moved in arrays: about half a second
const maxCopied = 4_194_304; // characters of all copies together, which take about 50 ms

/** Why a patch can't be applied. The message completes "The patch does not apply: …". */
export class PatchError extends ExpectedError {
  readonly reason: "invalid" | "test" | "size";

  constructor(message: string, reason: PatchError["reason"] = "invalid") {
    super(message);
    this.reason = reason;
  }
}

/**
 * Returns a value with the changes of a patch, which changes it in place. Throws a PatchError if the patch is malformed, a test fails, or
 * it takes too long, or copies more than 4 Mi characters.
 */
export function applyJsonPatch(value: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new PatchError("it is no array of operations (RFC 6902)");
  if (patch.length > maxOperations)
    throw new PatchError(`it must have at most ${maxOperations} operations, and has ${patch.length}`);
  const patched = new PatchedValue(value);
  for (const [index, operation] of patch.entries())
    try {
      patched.apply(Object(operation));
    } catch (error) {
      if (error instanceof PatchError) error.message = `operation ${index + 1} ${error.message}`;
      throw error;
    }
  if (isTooDeep(patched.root)) throw new PatchError("its result is nested too deeply");
  return patched.root;
}

type Path = readonly string[];
type Operation = Readonly<Record<string, unknown>>;

class PatchedValue {
  root: unknown;
  #copied = 0; // characters
  #steps = maxSteps; // that are left

  constructor(root: unknown) {
    this.root = root;
  }

  apply(operation: Operation): void {
    const { op, value } = operation;
    const [path, from] = [readPointer(operation, "path"), () => readPointer(operation, "from")];
    if (/^(add|replace|test)$/.test(`${op}`) && !Object.hasOwn(operation, "value"))
      throw new PatchError("has no value");
    if (op === "add" || op === "replace" || op === "remove") this.#edit(op, path, value);
    else if (op === "move") this.#move(from(), path);
    else if (op === "copy") this.#edit("add", path, this.#copy(from()));
    else if (op !== "test") throw new PatchError("has no op of add, remove, replace, move, copy, or test");
    else if (!this.#equals(value, this.#get(path)))
      throw new PatchError(`finds another value at ${show(path)}`, "test");
  }

  #get(path: Path): unknown {
    return path.reduce((holder: unknown, token, index) => {
      const has = Array.isArray(holder)
        ? toIndex(token) < holder.length
        : isObject(holder) && Object.hasOwn(holder, token);
      if (!has) throw missing(path.slice(0, index + 1));
      return (holder as Operation)[token];
    }, this.root);
  }

  // Returns what was at the path.
  #edit(op: "add" | "replace" | "remove", path: Path, value?: unknown): unknown {
    const token = path.at(-1);
    if (token === undefined) {
      if (op === "remove") throw new PatchError("removes the whole value");
      this.root = value;
      return undefined;
    }
    const holder = this.#get(path.slice(0, -1));
    if (Array.isArray(holder)) {
      const index = op === "add" && token === "-" ? holder.length : toIndex(token);
      if (!(index < holder.length || (op === "add" && index === holder.length))) throw missing(path);
      if (op !== "replace") this.#spend((holder.length - index) / 256);
      return holder.splice(index, op === "add" ? 0 : 1, ...(op === "remove" ? [] : [value]))[0];
    }
    if (!isObject(holder) || !(op === "add" || Object.hasOwn(holder, token))) throw missing(path);
    const previous = holder[token];
    if (op === "remove") Reflect.deleteProperty(holder, token);
    else setOwn(holder, token, value);
    return previous;
  }

  #move(from: Path, path: Path): void {
    const isInside = from.every((token, index) => token === path[index]);
    if (isInside && from.length < path.length) throw new PatchError(`moves ${show(from)} into itself`);
    if (isInside) this.#get(from);
    else this.#edit("add", path, this.#edit("remove", from));
  }

  #copy(from: Path): unknown {
    const value = this.#get(from);
    if (isTooDeep(value)) throw new PatchError(`copies ${show(from)}, which is nested too deeply`);
    const text = toJson(value);
    this.#copied += text.length;
    if (this.#copied > maxCopied) throw new PatchError("copies more than 4 Mi characters", "size");
    return parseJson(text);
  }

  #equals(a: unknown, b: unknown): boolean {
    if (!isObject(a) || !isObject(b)) return a === b;
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      return a.every((item, index) => this.#equals(item, b[index]));
    }
    const names = Object.keys(a);
    if (!names.every((name) => Object.hasOwn(b, name) && this.#equals(a[name], b[name]))) return false;
    const others = Object.keys(b).length;
    this.#spend(others);
    return names.length === others;
  }

  #spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new PatchError("makes it take too long. Send it in several parts", "size");
  }
}

function isObject(value: unknown): value is Operation {
  return typeof value === "object" && value !== null;
}

function toIndex(token: string): number {
  return /^(0|[1-9]\d*)$/.test(token) ? Number(token) : Number.NaN;
}

function readPointer(operation: Operation, name: "path" | "from"): Path {
  const pointer = operation[name];
  if (typeof pointer !== "string" || !/^(\/|$)/.test(pointer) || /~(?![01])/.test(pointer))
    throw new PatchError(`has a ${name} that is no JSON pointer (RFC 6901)`);
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function missing(path: Path): PatchError {
  return new PatchError(`needs ${show(path)}, which does not exist`);
}

function show(path: Path): string {
  return shorten(path.map((token) => `/${token}`).join("")) || "the whole value";
}
