// What is wrong with a value that a client or a file has sent, as data: the layer that reports it writes the sentence.

/** What is wrong with a value. */
export interface Problem {
  /** The path of the invalid part, such as `owner.name`. Empty for the value itself. */
  readonly path: string;
  /** The path of the part that is missing or unknown, if that is the problem. */
  readonly part?: string;
  /** The requirement that it violates, which completes a sentence about it: "must be at most 100". */
  readonly requirement: string;
}

/** The result of a validation: the value, or what is wrong with it. */
export type Checked<T = unknown> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly problem: Problem; readonly value?: undefined };

/** An error that is an expected result and not a bug. It has no stack trace, which would be expensive and of no use. */
export class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Reports that a value is invalid. The message is the requirement. */
export class InvalidValue extends ExpectedError implements Problem {
  readonly path: string;

  constructor(requirement: string, path = "") {
    super(requirement);
    this.path = path;
  }

  get requirement(): string {
    return this.message;
  }
}

/** Reports that a record is too large or nested too deeply for a store. The message is a sentence. */
export class RecordTooLarge extends ExpectedError {
  readonly isTooDeep: boolean;

  constructor(message: string, { isTooDeep }: Pick<RecordTooLarge, "isTooDeep">) {
    super(message);
    this.isTooDeep = isTooDeep;
  }
}

/** Returns a valid value. Throws an InvalidValue otherwise. */
export function requireValid<T>({ value, problem }: Checked<T>): T {
  if (problem) throw new InvalidValue(problem.requirement, problem.path);
  return value as T;
}

/** What is wrong with the command line, and not with what it names. */
export class UsageError extends Error {}

/** Reports that a dependency is unreachable, locked or out of space (503). The client may retry the request. */
export class UnavailableError extends Error {}

/** Reports that a query takes too long, because no index has what it selects (503). The message is a sentence. */
export class QueryTooSlow extends ExpectedError {}

/** Reports that a store can't contain a value of a request (400). The message completes a sentence about the value. */
export class UnstorableValue extends ExpectedError {}

/** Reports that a write contradicts other records. The message is a sentence. */
export class ConstraintViolation extends ExpectedError {
  /**
   * Whether another record has the same values (409), or the record that is referred to does not exist (422), or the record that is to be
   * deleted is referred to (409).
   */
  readonly kind: "unique" | "unknown" | "referred";
  /** The collection that has the constraint. */
  readonly collection: string;
  /** Its members, such as `email` or `owner.id`. */
  readonly members: readonly string[];

  constructor(kind: ConstraintViolation["kind"], collection: string, members: readonly string[], to?: string) {
    const names = members.join(" and ");
    const messages = {
      unique: `Another record of ${collection} has the same ${names}.`,
      unknown: `No record of ${to} has the id in ${names}.`,
      referred: `Records of ${collection} refer to it by ${names}.`,
    };
    super(messages[kind]);
    this.kind = kind;
    this.collection = collection;
    this.members = members;
  }
}
