// The parameters of one location: reads and validates them. Also the cells of a table, which are texts like parameters.

import { type ErrorDetail, maxDetails } from "../../http/index.ts";
import { type Checked, InvalidValue, type Problem, shorten } from "../../lib/index.ts";
import { describeUnknown, type Schemas, Shape, type Validate, type Validation } from "../schema/index.ts";
import type { Part } from "../source/index.ts";
import type { Validated } from "./body.ts";
import { toInvalidRequest } from "./invalid-request.ts";

/** Reads one parameter. `Texts` are the texts of its location. */
export interface Parameter<Texts> {
  readonly name: string;
  readonly required: boolean;
  /** The default value; undefined if there is none. */
  readonly default: unknown;
  /** Whether it reads what the others leave. */
  readonly isRest?: () => boolean;
  /** Returns the value; undefined if it is missing. Throws an InvalidValue. */
  read(texts: Texts): unknown;
}

export interface GroupOptions<Source, Texts> {
  readonly parameters: readonly Parameter<Texts>[];
  /** Validates the values. */
  readonly validate: Validate;
  /** Splits the source. */
  readonly split: (source: Source) => Texts;
  /** Returns the names in a source that no parameter has read. They are rejected. */
  readonly findUnknown?: (texts: Texts) => Iterable<string>;
  /** The name of a parameter in messages, which begins with its location: "query parameter". */
  readonly noun: string;
}

/** The parameters of one location. Its `validate` is the validator that Fastify runs. */
export class ParameterGroup<Source, Texts = Source> {
  readonly names: readonly string[];
  readonly #options: GroupOptions<Source, Texts>;
  #ordered: readonly Parameter<Texts>[] | undefined;

  constructor(options: GroupOptions<Source, Texts>) {
    this.names = options.parameters.map(({ name }) => name);
    this.#options = options;
  }

  /** Reads and validates the parameters of a request, and fills in default values. The validator that Fastify runs. */
  readonly validate = (source: unknown): Validated => {
    const result = this.#read(source as Source);
    if ("value" in result) return result;
    const { noun } = this.#options;
    const location = noun.split(" ", 1)[0] as ErrorDetail["location"];
    return { error: toInvalidRequest(result.problems, location, noun) };
  };

  /** Reads and validates parameters, and fills in default values. */
  readonly check = (source: Source): Checked => {
    const result = this.#read(source);
    return "value" in result ? result : { problem: result.problems[0] };
  };

  #read(source: Source): Validation {
    const { parameters, validate, split, findUnknown, noun } = this.#options;
    const texts = split(source);
    const values: Record<string, unknown> = Object.create(empty);
    const problems: Problem[] = [];
    const unread = new Set<string | undefined>();
    for (const parameter of this.#order(parameters))
      try {
        const value = parameter.read(texts);
        const used = value === undefined ? copy(parameter.default) : value;
        if (used !== undefined) values[parameter.name] = used;
      } catch (error) {
        problems.push(toProblem(error, parameter.name));
        unread.add(parameter.name);
      }
    for (const name of findUnknown?.(texts) ?? [])
      if (problems.length < maxDetails) problems.push(describeUnknownPart(name, this.names, noun));
    if (parameters.length === 0 && problems.length === 0) return { value: values };
    const result = validate(values, { noun, areTexts: true });
    if ("value" in result && problems.length === 0) return result;
    // One that can't be read is not missing.
    const isNew = ({ path, part }: Problem) => path !== "" || !unread.has(part);
    const invalid = "value" in result ? [] : result.problems.filter(isNew);
    return { problems: [...problems, ...invalid].slice(0, maxDetails) as [Problem, ...Problem[]] };
  }

  /** Returns whether a source has all required parameters, and no unknown ones, whatever their values are. */
  hasNames(source: Source): boolean {
    const { parameters, split, findUnknown } = this.#options;
    const texts = split(source);
    const isMissing = (parameter: Parameter<Texts>) => {
      try {
        return parameter.read(texts) === undefined && parameter.required;
      } catch {
        return false; // `check` reports it
      }
    };
    const missing = this.#order(parameters).filter(isMissing); // each parameter removes what it reads
    return missing.length === 0 && [...(findUnknown?.(texts) ?? [])].length === 0;
  }

  #order(parameters: readonly Parameter<Texts>[]): readonly Parameter<Texts>[] {
    this.#ordered ??= [...parameters].sort((one, other) => Number(isRest(one)) - Number(isRest(other)));
    return this.#ordered;
  }
}

function describeUnknownPart(name: string, known: readonly string[], noun: string): Problem {
  return { path: "", part: shorten(name), requirement: describeUnknown(name, noun, known) };
}

function toProblem(error: unknown, name: string): Problem {
  if (!(error instanceof InvalidValue)) throw error;
  return { path: shorten(name), requirement: error.requirement };
}

// The prototype of values: empty, because a parameter can have the name of a member of Object.prototype. Not null, because V8
// keeps the properties of an object without a prototype in a hash table, which is slow.
const empty = Object.freeze(Object.create(null));

// A handler may change the value.
function copy(value: unknown): unknown {
  return typeof value === "object" ? structuredClone(value) : value;
}

function isRest({ isRest = () => false }: Parameter<never>): boolean {
  return isRest();
}

/**
 * Creates the validation of a row of a table, whose cells are texts like parameters, by column. `schema` is the schema
 * of an object of the document.
 */
export function createRowValidator(schema: Part, schemas: Schemas): (row: Readonly<Record<string, string>>) => Checked {
  const shape = new Shape([schemas.at(schema.pointer)]);
  const columns = shape.propertyNames;
  const parameters = columns.map((name): Parameter<Readonly<Record<string, string>>> => {
    const property = shape.property(name);
    return {
      name,
      required: false, // as the schema says
      default: undefined, // filled in by the validation
      read: (row) => (Object.hasOwn(row, name) ? property.parsePrimitive(row[name] as string) : undefined),
    };
  });
  return new ParameterGroup({
    parameters,
    validate: schemas.compileAt(schema.pointer),
    split: (row: Readonly<Record<string, string>>) => row,
    findUnknown: (row) => Object.keys(row).filter((name) => !columns.includes(name)),
    noun: "column",
  }).check;
}
