// One evaluation of a value: what is known of it so far.

import { getOrAdd } from "../../lib/index.ts";
import type { SchemaObject } from "../source/document-types.ts";
import { type Change, makeChanges } from "./changes.ts";
import { Identities } from "./equality.ts";

/** Whether a value is the body of a request or of a response, or the parameters of a request. */
export type Direction = "request" | "response" | "parameters";

/**
 * Evaluates a value, and returns whether it is valid. Adds the members that it evaluates to `evaluated`, which is undefined if
 * no one asks for them. Each schema is compiled to such a function.
 */
export type Check = (value: unknown, run: Evaluation, evaluated: Evaluated | undefined) => boolean;

/** A schema that is compiled when it is called first. */
export class Cell {
  check: Check;

  constructor(create: () => Check) {
    this.check = (value, run, evaluated) => {
      this.check = create();
      return this.check(value, run, evaluated);
    };
  }
}

/** A violated keyword. The schemas around it add the steps to the part of the value, the innermost first. */
export interface Failure {
  readonly keyword: string;
  readonly schema: SchemaObject;
  /** What the keyword says about it, such as the name of a part that is missing. */
  readonly detail: unknown;
  readonly steps: (string | number)[];
  /** The name of a property, if its name is invalid. */
  name?: string;
}

/** The members of an object or array that schemas have evaluated (JSON Schema 2020-12, section 11). */
export class Evaluated {
  /** Whether all members are. */
  all = false;
  #keys: Set<string | number> | undefined;

  add(key: string | number): void {
    this.#keys ??= new Set();
    this.#keys.add(key);
  }

  has(key: string | number): boolean {
    return this.all || this.#keys?.has(key) === true;
  }

  addAll(other: Evaluated): void {
    this.all ||= other.all;
    for (const key of other.#keys ?? []) this.add(key);
  }
}

/**
 * The properties of a value that are read-only or write-only by one of the schemas that apply to it, or can apply. One that is not
 * sent in a direction is not required in it.
 */
export type Marks = ReadonlyMap<string, "readOnly" | "writeOnly">;

/** No properties. */
export const noMarks: Marks = new Map();

/** Where the value is that is being evaluated. */
export class Position {
  /** The object or array that has it. */
  readonly holder: object;
  /** Its name or index. The whole value has the index 0. */
  key: string | number = 0;
  /** Its marks. Undefined until a schema of it is entered. */
  marks: Marks | undefined;
  readonly outer: Position | undefined;

  constructor(holder: object, outer: Position | undefined) {
    this.holder = holder;
    this.outer = outer;
  }
}

/** The result of a schema for a part of the value. */
interface Result {
  readonly isValid: boolean;
  readonly failures: readonly Failure[]; // none if they were not collected
  readonly evaluated: Evaluated | undefined; // undefined if no one asked for it
  readonly changes: readonly Change[] | undefined; // undefined if they were not collected
  /** The position of the part. */
  readonly holder: object;
  readonly key: string | number;
}

const maxFailures = 10;
const maxUncached = 32; // references that are followed below several alternatives before results are cached

/** The state of one evaluation. */
export class Evaluation {
  readonly direction: Direction;
  /** That of the value that is being evaluated. */
  position: Position;
  /** What becomes of a valid value. Undefined if it is not converted, or explained. */
  changes: Change[] | undefined;
  /** Whether defaults are filled in. */
  fillsDefaults = true;
  /** How many values the defaults have that were filled in. */
  filled = 0;
  /** How many of the schemas around have several parts that apply to the same value. */
  forks = 0;
  #failures: Failure[] | undefined;
  #limit = maxFailures;
  #followed = 0;
  #identities: Identities | undefined;
  #results: Map<Marks | undefined, Map<Cell, Map<unknown, Result>>> | undefined;

  constructor(direction: Direction, holder: object, purpose: "check" | "convert" | "explain") {
    this.direction = direction;
    this.position = new Position(holder, undefined);
    if (purpose === "convert") this.changes = [];
    if (purpose === "explain") this.#failures = [];
  }

  /** The equal objects and arrays of the value. */
  get identities(): Identities {
    this.#identities ??= new Identities();
    return this.#identities;
  }

  /** What is wrong with the value: at most 10 failures. Only if the purpose is to explain it. */
  get failures(): readonly Failure[] {
    return this.#failures as Failure[];
  }

  /** How many failures there are so far. */
  get failureCount(): number {
    return this.#failures?.length ?? 0;
  }

  /** Whether failures are collected. Otherwise, a schema ends at the first one. */
  get explains(): boolean {
    return this.#failures !== undefined;
  }

  /** Whether no further failure is of use, so that a schema that has failed ends. */
  get isFull(): boolean {
    return this.#failures === undefined || this.#failures.length >= this.#limit;
  }

  /** Enters an object or array to evaluate its members: set `key` before each. Call `leave` afterwards. */
  enter(holder: object): Position {
    this.position = new Position(holder, this.position);
    return this.position;
  }

  /** Returns to the value that has the members. */
  leave(): void {
    this.position = this.position.outer as Position;
  }

  /** Returns false. */
  fail(keyword: string, schema: SchemaObject, detail?: unknown): false {
    if (!this.isFull) this.#failures?.push({ keyword, schema, detail, steps: [] });
    return false;
  }

  /** Adds a step to the failures since `from`. */
  addStep(from: number, step: string | number): void {
    if (this.#failures === undefined) return;
    for (let index = from; index < this.#failures.length; index++) this.#failures[index]?.steps.push(step);
  }

  /** Tells that the failures since `from` concern the name of a property. */
  nameProperty(from: number, name: string): void {
    for (const failure of this.#failures?.slice(from) ?? []) failure.name = name;
  }

  /** Replaces the value that is being evaluated, if the whole value is valid. `isWeak` tells that another replacement prevails. */
  replace(value: unknown, isWeak = false): void {
    const { holder, key } = this.position;
    this.changes?.push({ holder, key, value, isWeak });
  }

  /** Evaluates a value by a schema that it need not match: without failures, and without changes if it does not match. */
  matches(cell: Cell, value: unknown, evaluated: Evaluated | undefined): boolean {
    const { changes } = this;
    const failures = this.#failures;
    const before = changes?.length ?? 0;
    this.#failures = undefined;
    const isValid = cell.check(value, this, evaluated);
    if (!isValid && changes) changes.length = before;
    this.#failures = failures;
    return isValid;
  }

  /** Like `matches`, without changes in any case. */
  tests(cell: Cell, value: unknown, evaluated?: Evaluated): boolean {
    const { changes } = this;
    this.changes = undefined;
    const isValid = this.matches(cell, value, evaluated);
    this.changes = changes;
    return isValid;
  }

  /** Returns up to `limit` failures of a value by a schema that it need not match. There are no changes while it is explained. */
  explain(cell: Cell, value: unknown, limit: number): readonly Failure[] {
    const [failures, before] = [this.#failures, this.#limit];
    const own: Failure[] = [];
    this.#failures = own;
    this.#limit = limit;
    cell.check(value, this, undefined);
    this.#failures = failures;
    this.#limit = before;
    return own;
  }

  /**
   * Evaluates a value by the target of a reference. Several schemas that apply to a value often refer to the same one, so that
   * the time could double with each level of the value. Below them, after 32 references, results are cached: by the schema and
   * the part of the value.
   */
  follow(cell: Cell, value: unknown, evaluated: Evaluated | undefined): boolean {
    if (this.forks === 0 || this.#followed++ < maxUncached) return cell.check(value, this, evaluated);
    const results = this.#resultsOf(cell);
    // A primitive value has no identity. Only its last result is cached, which is valid for its position.
    const identity = typeof value === "object" ? value : null;
    let result = results.get(identity);
    if (result === undefined || !this.#isUseful(result, evaluated)) {
      // The new result has what the previous one had, so that two callers with different needs share it.
      const isSame = result?.holder === this.position.holder && result.key === this.position.key;
      const asked = evaluated ?? (isSame ? result?.evaluated : undefined);
      result = this.#evaluate(cell, value, asked && new Evaluated(), isSame && result?.changes !== undefined);
      results.set(identity, result);
    }
    if (this.explains)
      for (const failure of result.failures)
        if (!this.isFull) this.#failures?.push({ ...failure, steps: [...failure.steps] });
    if (result.evaluated) evaluated?.addAll(result.evaluated);
    if (result.changes && result.changes.length > 0) this.changes?.push(result.changes);
    return result.isValid;
  }

  #resultsOf(cell: Cell): Map<unknown, Result> {
    this.#results ??= new Map();
    const ofMarks = getOrAdd(this.#results, this.position.marks, () => new Map<Cell, Map<unknown, Result>>());
    return getOrAdd(ofMarks, cell, () => new Map<unknown, Result>());
  }

  #isUseful({ isValid, holder, key, ...result }: Result, evaluated: Evaluated | undefined): boolean {
    if (holder !== this.position.holder || key !== this.position.key || (evaluated && !result.evaluated)) return false;
    if (isValid) return this.changes === undefined || result.changes !== undefined;
    return this.isFull || result.failures.length > 0;
  }

  #evaluate(cell: Cell, value: unknown, evaluated: Evaluated | undefined, hadChanges: boolean): Result {
    const { holder, key } = this.position;
    const outer = this.changes;
    const from = this.failureCount;
    const changes: Change[] | undefined = outer || hadChanges ? [] : undefined;
    this.changes = changes;
    const isValid = cell.check(value, this, evaluated);
    this.changes = outer;
    const failures = this.#failures?.splice(from) ?? [];
    return { isValid, failures, evaluated, changes: isValid ? changes : undefined, holder, key };
  }

  /** Makes the changes of a value that is valid. */
  change(): void {
    if (this.changes !== undefined && this.changes.length > 0) makeChanges(this.changes);
  }
}

/** Tells the evaluation that several schemas apply to the same value, whose results are worth caching. */
export function asFork(check: Check): Check {
  return (value, run, evaluated) => {
    run.forks += 1;
    const isValid = check(value, run, evaluated);
    run.forks -= 1;
    return isValid;
  };
}
