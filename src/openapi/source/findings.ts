// What is wrong with a document, by rule: what the server refuses, and what it would not enforce.
import type { Locator, SourcePlace } from "./files.ts";

/**
 * - `error`: the document contradicts itself or the specification, so that nobody can say what is right. It is refused.
 * - `warning`: the document is legal, or clear, but a part of it is not enforced.
 * - `note`: what an owner should know. Never a reason to refuse the document.
 */
export type Level = "error" | "warning" | "note";

/** The rules. Some have a subject in a finding, such as `format:unix-time`. */
const levels = {
  content: "error", // a body without a media type
  default: "error", // that the schema of a request rejects
  "default-type": "warning", // of another type than its schema, whose meaning is clear
  deprecation: "warning",
  dialect: "warning", // of schemas
  "error-shape": "warning", // of an operation, other than that of the server
  example: "warning", // that its schema rejects
  extension: "warning", // in a place without effect, or with a value that has none
  format: "warning", // unknown
  "get-body": "warning", // of a method without bodies
  "ignored-header": "note", // by the specification
  keyword: "warning", // unknown
  "keyword-value": "error",
  method: "warning", // that Node does not know
  misspelled: "error", // a keyword or format close to a known one
  "no-schema": "warning", // of a body
  operation: "error", // that can't be served
  "operation-id": "error", // twice
  parameter: "error",
  path: "error", // twice
  pattern: "error", // no regular expression
  reference: "error", // to nothing, or to itself
  "response-content": "warning", // of what is no media type
  "response-header": "warning", // whose name is not one
  "response-default": "warning", // that its schema rejects; defaults are only filled in in requests
  schema: "warning", // the document does not match the schema of OpenAPI
  "security-check": "note", // is needed
  "security-scheme": "error", // that is not declared
  servers: "note", // whose paths are not served
  siblings: "warning", // of a reference
  "slow-pattern": "warning",
  status: "error",
  stream: "warning", // a body that is not validated
  structure: "error", // a part of another type than the specification says
} as const satisfies Readonly<Record<string, Level>>;

export type Rule = keyof typeof levels;

/** A rule, or one with its subject, such as `format:unix-time`. */
export type RuleId = Rule | `${Rule}:${string}`;

/**
 * Reports a part of the document that is wrong, or would not be enforced. `subject` names the part, `reason` completes the sentence
 * with what is wrong and what would be right, and `pointer` is the JSON pointer of the part.
 */
export type Report = (rule: RuleId, subject: string, reason: string, pointer: string) => void;

/**
 * Reports what is wrong with an operation. The reason completes the sentence "The operation getBook …". `pointer` is that of the part
 * of the operation, by default that of the operation itself.
 */
export type ReportReason = (rule: RuleId, reason: string, pointer?: string) => void;

/** All parts of a document that are wrong for the same reason. */
export interface Finding {
  readonly rule: string;
  readonly level: Level;
  /** About the first part, without a full stop. */
  readonly message: string;
  /** The places of the first parts, at most three. */
  readonly places: readonly SourcePlace[];
  /** The number of parts. */
  readonly count: number;
}

/** What findings mean for an owner. */
export interface Strictness {
  /** `true` makes warnings errors, `false` serves a document in spite of its errors. */
  readonly strict?: boolean | undefined;
  /** The rules of findings that the owner accepts, with or without subject. */
  readonly ignore?: readonly string[] | undefined;
}

interface Group {
  readonly rule: RuleId;
  readonly message: string;
  readonly pointers: Set<string>; // of the first parts
  count: number;
}

const maxPlaces = 3;

/** Collects the findings of a document, by rule. */
export class Findings {
  readonly #locate: (pointer: string) => SourcePlace;
  readonly #found = new Map<string, Group>(); // by reason
  readonly #references = new Set<string>(); // the pointers of those that were reported

  /** `locate` returns the place of a part in its file. */
  constructor(locate: (pointer: string) => SourcePlace) {
    this.#locate = locate;
  }

  readonly report: Report = (rule, subject, reason, pointer) => {
    if (rule === "reference" && this.#references.has(pointer)) return; // also found when the document was bundled
    if (rule === "reference") this.#references.add(pointer);
    const key = `${rule} ${reason}`;
    const group = this.#found.get(key) ?? { rule, message: `${subject} ${reason}`, pointers: new Set(), count: 0 };
    this.#found.set(key, group);
    group.count += 1;
    if (group.pointers.size < maxPlaces) group.pointers.add(pointer);
  };

  /** Returns the findings that are not ignored, errors first. */
  list({ strict, ignore = [] }: Strictness = {}): Finding[] {
    const groups = [...this.#found.values()];
    const isNamed = (rule: string, name: string) => rule === name || rule.startsWith(`${name}:`);
    const unused = ignore.find((name) => !groups.some(({ rule }) => isNamed(rule, name)));
    if (unused !== undefined) {
      const rules = new Set(groups.map(({ rule }) => rule));
      throw new Error(
        `The option \`ignore\` names ${unused}, but the document has ${[...rules].join(", ") || "no findings"}.`,
      );
    }
    const findings = groups.flatMap(({ rule, message, pointers, count }): Finding[] => {
      if (ignore.some((name) => isNamed(rule, name))) return [];
      const own = levels[rule.split(":", 1)[0] as Rule];
      const level = strict === true && own === "warning" ? "error" : own;
      return [{ rule, level, message, places: [...pointers].map(this.#locate), count }];
    });
    const order: readonly Level[] = ["error", "warning", "note"];
    return findings.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  }
}

/**
 * Describes a finding in one line: the schema at … has the unknown format "isbn" (books.yaml:12:7, and 331 more, such as
 * books.yaml:30:7) [format:isbn].
 */
export function describeFinding({ rule, message, places, count }: Finding, locator: Locator): string {
  const [first, ...others] = places.map((place) => locator.describe(place));
  const such = others.length > 0 ? `, such as ${others.join(" and ")}` : "";
  return `${message} (${first}${count > 1 ? `, and ${count - 1} more${such}` : ""}) [${rule}].`;
}
