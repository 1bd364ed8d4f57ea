// The two forms in which pets go in and out: NDJSON, a JSON object a line, and CSV (RFC 4180). What one
// writes it reads again as it was, to the byte.

import { decodeUtf8, HttpError, parseBody } from "../http/index.ts";
import { createValidatorCompiler, type Document } from "../spec/index.ts";
import { type NewPet, newPetColumns, type Values } from "../store/index.ts";
import { buildRecordEnds, type Ends, lineEnds } from "./lines.ts";
/** Reads a line that is not empty: the pet, or nothing where the line is a head. Throws a Refusal where the line is bad, another Error where no line can be read. */
export type ReadLine = (bytes: Buffer) => NewPet | undefined;

/** A form of pets. */
export interface Format {
  buildEnds(): Ends;
  buildRead(document: Document): ReadLine;
  /** What stands before all pets. */
  head(fields: readonly string[]): string;
  /** A pet as a line: the values of its fields, null where there is none. */
  toLine(fields: readonly string[], values: Values): string;
}

type Schemas = Document["content"]["components"] & {
  readonly schemas: {
    readonly NewPet: { readonly properties: Record<string, object>; readonly required: readonly string[] };
    readonly PetStatus: { readonly enum: readonly string[] };
  };
};

const ndjson: Format = {
  buildEnds: () => lineEnds,
  buildRead(document) {
    const validate = compile(document, "body", { $ref: "#/components/schemas/NewPet" });
    return (bytes) => validate(parseBody(bytes));
  },
  head: () => "",
  toLine(fields, values) {
    const some = fields.flatMap((field, index) => {
      const value = values[index] as Exclude<Values[number], Uint8Array>;
      return value === null ? [] : `${JSON.stringify(field)}:${toJsonText(value)}`;
    });
    return `{${some.join()}}\n`;
  },
};

const csv: Format = {
  buildEnds: buildRecordEnds,
  buildRead(document) {
    const { NewPet: schema } = (document.content.components as Schemas).schemas;
    const { properties, required } = schema;
    const validate = compile(document, "row", schema);
    let columns: string[] | undefined;
    return (bytes) => {
      if (columns === undefined) {
        columns = readHead(bytes, Object.keys(properties), required);
        return undefined;
      }
      const names = columns;
      const values = splitRecord(decodeUtf8(bytes));
      if (values.length !== names.length)
        throw refuse(`must have ${names.length} fields, as its head has, and has ${values.length}`);
      const all = values.map((value, index) => [names[index] as string, value] as const);
      return validate(Object.fromEntries(all.filter(([name, value]) => value !== "" || required.includes(name))));
    };
  },
  head: (fields) => `${fields.join()}\r\n`,
  toLine: (_fields, values) => `${values.map(toField).join()}\r\n`,
};

/** The forms, by name. */
export const formats = { ndjson, csv };

/** The endings of files that tell the form. */
export const endings: Readonly<Record<string, keyof typeof formats>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** The statuses that the document knows. */
export function readStatuses({ content }: Document): readonly string[] {
  return (content.components as Schemas).schemas.PetStatus.enum;
}

/** The fields of a pet, in the document's order. */
export const fields = ["id", ...newPetColumns.map(({ field }) => field)];

function compile({ content, extensions }: Document, httpPart: string, schema: object): (raw: unknown) => NewPet {
  const { components } = content;
  const whole = { ...schema, components };
  const validate = createValidatorCompiler([...extensions, "components"])({
    schema: whole,
    httpPart,
    method: "",
    url: "",
  });
  return (raw) => {
    const { value, error } = validate(raw) as { value?: NewPet; error?: Error };
    if (error) throw error;
    return value as NewPet;
  };
}

function toJsonText(value: string | bigint | null): string {
  return typeof value === "bigint" ? `${value}` : JSON.stringify(value);
}

function toField(value: Values[number]): string {
  const text = `${value ?? ""}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const field = /"([^"]*(?:""[^"]*)*)"|[^",]*/y;

function splitRecord(text: string): string[] {
  const values: string[] = [];
  let at = -1; // of the comma before a field
  do {
    field.lastIndex = at + 1;
    const [whole, quoted] = field.exec(text) as unknown as [string, string | undefined];
    values.push(quoted?.replaceAll('""', '"') ?? whole);
    at = field.lastIndex;
  } while (text[at] === ",");
  if (at === text.length) return values;
  const must = "a field with quotes stands in quotes, each of its own twice";
  throw refuse(`is not CSV in its field ${values.length}: ${must}`);
}

// Without it no line can be read: what is wrong with it is wrong with all.
function readHead(bytes: Buffer, known: string[], required: readonly string[]): string[] {
  const must = `the first line must name the columns, of ${known.join(", ")}`;
  const read = () => {
    try {
      return splitRecord(decodeUtf8(bytes));
    } catch (error) {
      throw new Error(`${(error as Error).message.replace(/\.$/, "")}: ${must}.`);
    }
  };
  const head = read();
  const unknown = head.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is the unknown column '${unknown.slice(0, 50)}': ${must}.`);
  const missing = required.find((name) => !head.includes(name));
  if (missing !== undefined) throw new Error(`The column '${missing}' is missing: ${must}.`);
  const twice = head.find((name, index) => head.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`The column '${twice}' is there twice: ${must}.`);
  return head;
}

function refuse(why: string): HttpError {
  return new HttpError("invalid_body", `The line ${why}.`);
}
