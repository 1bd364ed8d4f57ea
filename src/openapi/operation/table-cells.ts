// Records of other sources that follow the rules of the document, such as the lines of an import.
import { type Checked, type InvalidValue, parseJson, toJson } from "../../lib/index.ts";
import type { Direction } from "../schema/evaluation.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Part } from "../source/part.ts";

/**
 * Creates the validation of a record by the rules of the body of a request, which also fills defaults, or of a response. `noun` is the
 * word for a member in messages. The value of a column was read from a text.
 */
export function createRecordValidator(
  schema: Pick<Part, "pointer">,
  schemas: Schemas,
  direction: Direction = "request",
): (record: unknown, noun?: "field" | "column") => Checked {
  const validate = schemas.compileReaderAt(schema.pointer, direction, direction === "request");
  return (record, noun = "field") => {
    const result = validate(record, { noun, areTexts: noun === "column" });
    return "value" in result ? result : { problem: result.problems[0] };
  };
}

/** The cells of a row of a table, by column. null is an empty cell, and not an empty text. */
export type TableRow = Readonly<Record<string, string | null>>;

type Shape = ReturnType<Schemas["shapeAt"]>;

/** What an empty cell is. */
export interface CellOptions {
  /** The columns in which it is null, if their schema allows it, and otherwise an empty text. */
  readonly required?: readonly string[];
  /** The columns in which it is null, if their schema allows it, and otherwise a missing value, as in all others. */
  readonly nullable?: readonly string[];
}

/** Reads and writes the cells of tables. Texts, numbers and booleans are like parameters, and what can have several types is JSON. */
export class TableCells {
  readonly #columns: ReadonlyMap<string, Shape>;
  readonly #required: ReadonlySet<string>;
  readonly #nullable: ReadonlySet<string>;

  /** The schemas at the pointers are those of objects whose properties are columns; the first that has one precedes. */
  constructor(schemas: Schemas, pointers: readonly string[], { required = [], nullable = [] }: CellOptions = {}) {
    const shapes = pointers.map((pointer) => schemas.shapeAt(pointer)).reverse();
    this.#columns = new Map(shapes.flatMap((shape) => shape.propertyNames.map((name) => [name, shape.property(name)])));
    this.#required = new Set(required);
    this.#nullable = new Set(nullable);
  }

  /** Reads a row. Its values are not validated. An empty cell of another column is a missing value. */
  read(row: TableRow): Checked<object> {
    const values: [string, unknown][] = [];
    for (const [name, cell] of Object.entries(row)) {
      const column = this.#columns.get(name);
      if (cell === null && !this.#required.has(name)) {
        if (column?.types.has("null") && this.#nullable.has(name)) values.push([name, null]);
        continue;
      }
      const { value, problem } = column ? readCell(column, cell) : { value: cell };
      if (problem) return { problem: { path: name, requirement: problem.requirement } };
      values.push([name, value]);
    }
    return { value: Object.fromEntries(values) };
  }

  /** Returns the cell of a value; null for a missing one. */
  write(name: string, value: unknown): string | null {
    if (value === undefined) return null;
    const column = this.#columns.get(name);
    if (column && isPlain(column)) return value === null ? null : `${value}`;
    if (column && typeof value === "string" && readCell(column, value).value === value && value !== "") return value;
    // Without a declared type, a null is not a missing value.
    return value === null && column?.types.has("null") ? null : toJson(value);
  }
}

// Whether a cell is a text, a number or a boolean, and nothing else.
function isPlain({ types }: Shape): boolean {
  const [type, ...others] = [...types].filter((name) => name !== "null");
  const isNumber = type === "integer" && others.every((name) => name === "number");
  return type !== undefined && type !== "array" && type !== "object" && (others.length === 0 || isNumber);
}

function readCell(column: Shape, cell: string | null): Checked {
  if (cell === null && column.types.has("null")) return { value: null };
  const text = cell ?? "";
  if (isPlain(column)) return { value: column.parsePrimitive(text) };
  const isJson = column.isOnly("array") || column.isOnly("object");
  try {
    const value = parseJson(text);
    return { value: isJson ? value : column.choose(value, text) };
  } catch (error) {
    const { path, requirement } = error as InvalidValue;
    return isJson ? { problem: { path, requirement } } : { value: text };
  }
}
