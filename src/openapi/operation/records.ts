// Records of other sources that follow the rules of the document, such as the lines of an import.
import { type Checked, type InvalidValue, parseJson, shorten } from "../../lib/index.ts";
import { type Direction, describeUnknown, type Schemas } from "../schema/index.ts";
import type { Part } from "../source/index.ts";

/** Creates the validation of a record that follows the rules of the body of a request, which also fills defaults, or of a response. */
export function createRecordValidator(
  schema: Pick<Part, "pointer">,
  schemas: Schemas,
  direction: Direction = "request",
): (record: unknown) => Checked {
  const validate = schemas.compileReaderAt(schema.pointer, direction, direction === "request");
  return (record) => {
    const result = validate(record);
    return "value" in result ? result : { problem: result.problems[0] };
  };
}

/** The cells of a row of a table, by column. null is an empty cell, and not an empty text. */
export type TableRow = Readonly<Record<string, string | null>>;

export interface RowValidatorOptions {
  readonly direction: Direction;
  /** The columns that each row must have. An empty cell in one of them is null or an empty text, and in others a missing value. */
  readonly required: readonly string[];
}

/**
 * Creates the validation of a row of a table, whose cells are texts like parameters; those of objects and arrays are JSON. `schema` is
 * the schema of an object of the document.
 */
export function createRowValidator(
  schema: Pick<Part, "pointer">,
  schemas: Schemas,
  { direction, required }: RowValidatorOptions,
): (row: TableRow) => Checked {
  const shape = schemas.shapeAt(schema.pointer);
  const columns = new Map(shape.propertyNames.map((name) => [name, shape.property(name)]));
  const validate = schemas.compileReaderAt(schema.pointer, direction, direction === "request");
  return (row) => {
    const values: [string, unknown][] = [];
    for (const [name, text] of Object.entries(row)) {
      if (text === null && !required.includes(name)) continue;
      const column = columns.get(name);
      if (column === undefined) {
        const requirement = describeUnknown(name, "column", [...columns.keys()]);
        return { problem: { path: "", part: shorten(name), requirement } };
      }
      const read = readCell(column, text);
      if (read.problem) return { problem: { path: name, requirement: read.problem.requirement } };
      values.push([name, read.value]);
    }
    const result = validate(Object.fromEntries(values), { noun: "column", areTexts: true });
    return "value" in result ? result : { problem: result.problems[0] };
  };
}

function readCell(column: ReturnType<ReturnType<Schemas["shapeAt"]>["property"]>, cell: string | null): Checked {
  if (cell === null && column.types.has("null")) return { value: null };
  const text = cell ?? "";
  if (!column.isOnly("array") && !column.isOnly("object")) return { value: column.parsePrimitive(text) };
  try {
    return { value: parseJson(text) };
  } catch (error) {
    const { path, requirement } = error as InvalidValue;
    return { problem: { path, requirement } };
  }
}
