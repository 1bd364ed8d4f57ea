// What is wrong with a document, by rule: what the server refuses, and what it would not enforce.
import { describeLocation, locate, type SourceLocation, type SourcePlace } from "./locations.ts";
import { Part } from "./part.ts";

/**
 * - `error`: the document contradicts itself or the specification, so that nobody can say what is right. It is refused.
 * - `warning`: the document is legal, or clear, but a part of it is not enforced.
 * - `note`: what an owner should know. Never a reason to refuse the document.
 */
export type Level = "error" | "warning" | "note";

/** The rules. Some have a subject in a finding, such as `format:unix-time`. */
const levels = {
  content: "error", // a body without a media type
  "content-type": "warning", // of a body, no media type, beside others
  default: "error", // that requests would have if they could, which their schema rejects
  "default-type": "warning", // of another form than its schema says, whose meaning is clear
  deprecation: "warning",
  dialect: "warning", // of schemas
  discriminator: "warning", // whose mapping leads to nothing
  docs: "note", // an operation has the path of the documentation
  "duplicate-path": "warning", // of operations that differ only in parameters
  "error-shape": "warning", // of an operation, other than that of the server
  "external-value": "note", // of an example, which is not read
  example: "warning", // that its schema rejects
  extension: "warning", // in a place without effect, or with a value that has none
  format: "warning", // unknown
  "get-body": "warning", // of a method without bodies
  "ignored-header": "note", // by the specification
  keyword: "warning", // unknown, or of an earlier dialect
  "keyword-value": "error",
  method: "warning", // that Node does not know
  misspelled: "error", // a keyword or field close to a known one
  link: "warning", // to an operation that does not exist
  "no-schema": "warning", // of a body
  "json-patch": "warning", // a schema that no JSON Patch matches
  operation: "error", // that can't be served
  "operation-id": "error", // twice
  parameter: "error",
  path: "error", // twice
  pattern: "error", // no regular expression
  reference: "error", // to nothing, or to itself
  required: "warning", // and forbidden, so that no object matches
  "response-content": "warning", // of what is no media type
  "response-header": "warning", // whose name is not one
  schema: "warning", // the document does not match the schema of OpenAPI
  "security-check": "note", // is needed
  "security-scheme": "error", // that is not declared
  servers: "note", // whose paths are not served
  siblings: "warning", // of a reference
  "slow-pattern": "warning",
  status: "error",
  stream: "warning", // a body that is not validated
  structure: "error", // a part of another type than the specification says
  "x-resource": "error", // that recognition does not understand
  "unused-default": "warning", // that its schema rejects, in a place where no default is filled in, such as a response
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
  /** The places of the first parts, by default at most three. */
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
  readonly pointers: Set<string>;
  count: number;
}

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
    if (isNamed(rule, "reference")) {
      if (this.#references.has(pointer)) return; // also found when the document was bundled
      this.#references.add(pointer);
    }
    // A reason about a reference is about that one only.
    const key = rule === "reference" ? `${subject} ${reason}` : `${rule} ${reason}`;
    const group = this.#found.get(key) ?? { rule, message: `${subject} ${reason}`, pointers: new Set(), count: 0 };
    this.#found.set(key, group);
    group.count += 1;
    group.pointers.add(pointer);
  };

  /** Returns whether a rule is one of these findings, with or without its subject. */
  has(name: string): boolean {
    return [...this.#found.values()].some(({ rule }) => isNamed(rule, name));
  }

  /** Returns the findings that are not ignored, errors first, each with its first places. Throws an Error for an unknown rule. */
  list({ strict, ignore = [] }: Strictness = {}, maxPlaces = 3): Finding[] {
    refuseUnknown(ignore, [this]);
    const findings = [...this.#found.values()].flatMap(({ rule, message, pointers, count }): Finding[] => {
      if (ignore.some((name) => isNamed(rule, name))) return [];
      const own = levels[rule.split(":", 1)[0] as Rule];
      const level = strict === true && own === "warning" ? "error" : own;
      const first = [...pointers].slice(0, maxPlaces).map(this.#locate);
      return [{ rule, level, message, places: isNamed(rule, "reference") ? first.map(toReference) : first, count }];
    });
    const order: readonly Level[] = ["error", "warning", "note"];
    return findings.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  }

  /** The rules that were found. */
  get rules(): Set<string> {
    return new Set([...this.#found.values()].map(({ rule }) => rule));
  }
}

/** Throws an Error if none of the documents with these findings has a rule that is ignored. */
export function refuseUnknown(ignore: readonly string[], all: readonly Findings[]): void {
  const unused = ignore.find((name) => !all.some((findings) => findings.has(name)));
  if (unused === undefined) return;
  const rules = new Set(all.flatMap((findings) => [...findings.rules]));
  const has = all.length > 1 ? "the documents have" : "the document has";
  throw new Error(`The option \`ignore\` names ${unused}, but ${has} ${[...rules].join(", ") || "no findings"}.`);
}

function isNamed(rule: string, name: string): boolean {
  return rule === name || rule.startsWith(`${name}:`);
}

// The place of the field $ref in the part that is a reference, or has one.
function toReference(place: SourcePlace): SourcePlace {
  const pointer = `${place.pointer}/$ref`;
  try {
    Part.of(place.file.content).find(pointer);
    return { ...place, pointer };
  } catch {
    return place;
  }
}

/**
 * Describes findings, each in one line: the schema at … has the unknown format "isbn" (books.yaml:12:7, and 331 more, such as
 * books.yaml:30:7) [format:isbn].
 */
export function describeFindings(findings: readonly Finding[]): string[] {
  const short = findings.map((finding) => ({ ...finding, places: finding.places.slice(0, 3) }));
  return locateFindings(short).map(({ rule, message, count, locations }) => {
    const [first, ...others] = locations.map(describeLocation);
    const such = others.length > 0 ? `, such as ${others.join(" and ")}` : "";
    return `${message} (${first}${count > 1 ? `, and ${count - 1} more${such}` : ""}) [${rule}].`;
  });
}

/** Returns findings with the locations of their places. */
export function locateFindings(
  findings: readonly Finding[],
): (Finding & { readonly locations: readonly SourceLocation[] })[] {
  const all = locate(findings.flatMap(({ places }) => places));
  return findings.map((finding) => ({ ...finding, locations: all.splice(0, finding.places.length) }));
}
