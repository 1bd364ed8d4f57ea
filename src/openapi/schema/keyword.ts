// What a keyword is: the form of its value, what its subschemas apply to, how it checks a value, and the sentence about a value
// that violates it. keywords/ has one entry for each, and vocabulary.ts has all of them.
import type { Problem } from "../../lib/index.ts";
import type { SchemaObject } from "../source/document-types.ts";
import type { Cell, Check, Failure } from "./evaluation.ts";
import type { SchemaNode } from "./node.ts";
import type { Application, Form } from "./value-forms.ts";

/** A keyword of JSON Schema or OpenAPI. */
export interface Keyword {
  readonly form: Form;
  /** Only of keywords with subschemas. */
  readonly applies?: Application;
  /**
   * Whether it concerns the value alone, without its members and other schemas. After a basic keyword that a value violates, no
   * other one is checked, because it would say nothing new.
   */
  readonly isBasic?: boolean;
  /**
   * Returns the check of a schema that has the keyword; undefined if it has no requirement. Keywords that depend on each other
   * share one function, which is called once.
   */
  readonly compile?: Compile;
  /** Like `compile`, for a keyword that depends on what all others have evaluated, whose check it receives. */
  readonly compileLast?: (node: SchemaNode, compiler: Compiler, others: Check) => Check;
  /** Whether the detail of a failure is the name of a part that is missing or unknown. */
  readonly namesPart?: boolean;
  /** Returns the requirement that a value violates. It completes a sentence about the value: "must be at most 100". */
  readonly describe?: Describe;
}

/** What keywords need to compile their schemas. */
export interface Compiler {
  readonly formats: Formats;
  /** Whether read-only members of requests were removed, so that the others are allowed. */
  readonly dropsReadOnly: boolean;
  /** Returns the cell of a schema. */
  cellOf(node: SchemaNode): Cell;
  /** Returns the cell of a reference to a schema. */
  referTo(target: SchemaNode): Cell;
}

/** Formats by name: whether a text, or the decimal digits of a number, has the format. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

export type Compile = (node: SchemaNode, compiler: Compiler) => Check | undefined;

/** How messages name the parts of a value. */
export interface Wording {
  /** Their name, such as `field` or `query parameter`. */
  readonly noun: string;
  /** Whether they are read from texts, in which an integer has only digits. */
  readonly areTexts?: boolean;
}

/** The result of a validation: the value with exact numbers and default values, or up to ten problems. */
export type Validation = { readonly value: unknown } | { readonly problems: readonly [Problem, ...Problem[]] };

/** Validates a value. `wording` is that of messages: by default, its parts are fields. */
export type Validate = (value: unknown, wording?: Wording) => Validation;

/** `detail` is what the check has passed to `run.fail`. `describe` returns the sentence about another failure of the value. */
export type Describe = (
  schema: SchemaObject,
  detail: unknown,
  wording: Wording,
  describe: (failure: Failure) => string,
) => string;

export type Keywords = Readonly<Record<string, Keyword>>;
