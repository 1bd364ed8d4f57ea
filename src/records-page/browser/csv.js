// Records as CSV (RFC 4180), NDJSON and JSON. An empty field is a missing value, and an empty text has quotes, as in `data export`.
import { memberOf, parse, stringify, toNumber } from "./json.js";
import { controlOf, flatten, membersOf } from "./schema.js";

/** Returns records as CSV. Its columns are those of the schema, and others that a record has. */
export function toCsv(rows, members) {
  const columns = [...new Set([...members, ...rows.flatMap((row) => Object.keys(row))])];
  const quote = (text) => (text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = (value) =>
    value === undefined || value === null ? "" : quote(typeof value === "string" ? value : stringify(value));
  const lines = [columns.map(quote), ...rows.map((row) => columns.map((name) => cell(memberOf(row, name))))];
  return lines.map((line) => `${line.join()}\r\n`).join("");
}

/** Reads the records of a file. Returns each with its line, or what is wrong with it. */
export function readRecords(text, name, schema) {
  if (/\.csv$/i.test(name)) return [...readCsv(text, membersOf(schema))];
  if (text.trimStart().startsWith("[")) return parse(text).map((record, index) => ({ line: index + 1, record }));
  const lines = text.split("\n").map((line, index) => [index + 1, line]);
  return lines.filter(([, line]) => line.trim() !== "").map(([number, line]) => read(number, () => parse(line)));
}

function read(line, run) {
  try {
    return { line, record: run() };
  } catch (error) {
    return { line, problem: error.message };
  }
}

const field = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function* readCsv(text, members) {
  let [line, start, columns, row] = [1, 1, undefined, []];
  field.lastIndex = text.startsWith("\ufeff") ? 1 : 0;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (match === null) return yield { line: start, problem: "A quote is not closed, or text follows it." };
    const [whole, quoted, plain, end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? (plain || undefined));
    line += whole.split("\n").length - 1;
    if (end === ",") continue;
    const cells = row;
    const problem = `It must have ${columns?.length} fields, and has ${cells.length}.`;
    const toRecord = () => Object.fromEntries(columns.map((name, at) => [name, readCell(members[name], cells[at])]));
    if (columns === undefined) columns = cells;
    else if (cells.length > 1 || cells[0] !== undefined)
      yield cells.length === columns.length ? read(start, toRecord) : { line: start, problem };
    [start, row] = [line, []];
  }
}

function readCell(schema, text) {
  const control = controlOf(flatten(schema));
  if (text === undefined || control === "string" || schema === undefined) return text;
  if (control === "integer" || control === "number") return toNumber(text);
  try {
    return parse(text);
  } catch {
    return text; // such as a value of an enum
  }
}
