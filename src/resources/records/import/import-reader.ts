// Reads the records of an import: whole ones, as an export writes them, and those of requests, which are completed as a POST would.
import { type Checked, isObject } from "../../../lib/index.ts";
import type { TableRow } from "../../../openapi/index.ts";
import { type RecordId, toScope } from "../../../store/index.ts";
import { findCreation } from "../../recognition/find-plan.ts";
import { RecordMaker } from "../../record/record-maker.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { placeRecord } from "../place-record.ts";

/** A record of an import. */
export interface ImportedRecord {
  readonly record: object;
  /** Its scope, see `toScope`; empty for a collection without scopes. */
  readonly scope: string;
  /** Its id; undefined if the store makes it. */
  readonly id: RecordId | undefined;
  /** Whether it is stored as it is. */
  readonly isWhole: boolean;
}

/** Where a record is: its scope, and the id that only its path has. */
interface Place {
  readonly scope: readonly string[];
  readonly id: string | undefined;
}

/** The word for a member in messages. */
type Noun = "field" | "column";

/**
 * Reads the records of an import into a collection. One that has an id, and matches the schema of a response, is stored as it is. Another
 * one has the members of a request, and is completed with those that the server makes, unless it has them. Beside its members, a record
 * can have those of `Resource.placeNames`.
 */
export class ImportReader {
  readonly #resource: Resource;
  readonly #placeNames: Resource["placeNames"];
  readonly #defaultScope: readonly string[] | undefined;
  readonly #maker: RecordMaker | undefined;
  /** Whether the members of a request are a valid record. */
  readonly #isComplete: boolean;
  readonly #added: RecordSchema;
  readonly #madeNames: ReadonlySet<string>;
  readonly #validateWhole: ReturnType<RecordSchema["createValidator"]>;
  readonly #validateAdded: ReturnType<RecordSchema["createValidator"]>;
  readonly #readWholeCells: (row: TableRow) => Checked<object>;
  readonly #readAddedCells: (row: TableRow) => Checked<object>;

  /** `scope` has the values of the path for records that do not have them. Compiles schemas, which is expensive. */
  constructor(resource: Resource, scope?: readonly string[]) {
    const { record, newRecord, collection } = resource;
    const { body, doubts = [] } = findCreation(resource) ?? {};
    this.#resource = resource;
    this.#placeNames = resource.placeNames;
    this.#defaultScope = collection.isScoped ? scope : [];
    this.#isComplete = body !== undefined && Object.keys(body.created).length === 0 && doubts.length === 0;
    this.#maker = this.#isComplete || body === undefined ? undefined : new RecordMaker(resource, body);
    this.#added = this.#maker && body ? RecordSchema.of(record.document, { pointer: body.schema }) : newRecord;
    this.#madeNames = new Set(record.propertyNames.filter((name) => !this.#added.canHave(name)));
    this.#validateWhole = resource.validate;
    this.#validateAdded = this.#added.createValidator("request");
    const required = this.#added.required.filter((name) => this.#added.canHave(name));
    this.#readWholeCells = record.createRowReader([], { nullable: record.required });
    this.#readAddedCells = record.createRowReader([this.#added], { required, nullable: record.required });
  }

  /** The columns that a table can have. */
  get columns(): readonly string[] {
    const { record } = this.#resource;
    return [...new Set([...this.#placeNames.all, ...record.propertyNames, ...this.#added.propertyNames])];
  }

  /** The columns that a table must have, whichever its records are. */
  get requiredColumns(): readonly string[] {
    const { required } = this.#resource.record;
    return this.#added.required.filter((name) => required.includes(name) && this.#added.canHave(name));
  }

  /** Reads a row of a table, whose cells are texts. Those of objects and arrays are JSON. */
  readRow(row: TableRow): Checked<ImportedRecord> {
    const added = this.#readAddedCells(row);
    const whole = this.#readWholeCells(row);
    return added.problem ? { problem: added.problem } : this.read(added.value, "column", whole.value);
  }

  /** Reads a parsed value. `wholeValue` is it, as a response has it, if its form differs from that in a request. */
  read(value: unknown, noun: Noun = "field", wholeValue: unknown = value): Checked<ImportedRecord> {
    const place = this.#readPlace(value);
    if (place.problem) return place;
    const members = this.#withoutPlace(value);
    const id = this.#resource.idPath.length === 0 ? place.value.id : this.#resource.idIn(members);
    const whole = id != null ? this.#validateWhole(this.#withoutPlace(wholeValue), noun) : undefined;
    const record = whole?.value && (this.#maker?.withoutRequestOnly(whole.value) ?? whole.value);
    const added = record ? { value: record } : this.#complete(members, noun, place.value);
    if (added.problem) return added;
    const kept = { ...added.value, ...this.#resource.privateOf(members) };
    return this.#place(kept, members, place.value, record !== undefined);
  }

  #withoutPlace(value: unknown): unknown {
    if (!isObject(value) || !Object.keys(value).some((name) => name.startsWith("@"))) return value;
    const members = Object.entries(value).filter(([name]) => !this.#placeNames.all.includes(name));
    return Object.fromEntries(members.map(([name, member]) => [this.#placeNames.unescape(name), member]));
  }

  #readPlace(value: unknown): Checked<Place> {
    const placeNames = this.#placeNames;
    const sent = (name: string | undefined) =>
      name !== undefined && isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    const [scope, id] = [sent(placeNames.scope), sent(placeNames.id)];
    const problem = (path: string | undefined, requirement: string) => ({ problem: { path: path ?? "", requirement } });
    if (placeNames.id !== undefined && id === undefined)
      return problem("", `must have '${placeNames.id}', the id of its path`);
    if (id !== undefined && typeof id !== "string") return problem(placeNames.id, "must be a string");
    if (scope === undefined && this.#defaultScope !== undefined) return { value: { scope: this.#defaultScope, id } };
    const result = this.#resource.readScope(typeof scope === "string" ? scope : "");
    if ("problem" in result)
      return problem(
        placeNames.scope,
        `${result.problem}${scope === undefined ? ", or use --scope, if all records have the same" : ""}`,
      );
    if (this.#defaultScope !== undefined && toScope(this.#defaultScope) !== toScope(result.values))
      return problem(placeNames.scope, "must be the scope into which the records are imported, or be left out");
    return { value: { scope: result.values, id } };
  }

  // Validates the members of a request, and adds those that the server makes, unless the line has them.
  #complete(line: unknown, noun: Noun, { scope }: Place): Checked<object> {
    const isMade = (name: string) => this.#madeNames.has(name);
    const entries = isObject(line) ? Object.entries(line) : [];
    const hasMade = entries.some(([name]) => isMade(name));
    const sent = hasMade ? Object.fromEntries(entries.filter(([name]) => !isMade(name))) : line;
    const checked = this.#validateAdded(sent, noun);
    if (checked.problem || (this.#isComplete && !hasMade)) return checked;
    const made =
      this.#maker?.create(this.#maker.body.rename(checked.value), this.#resource.membersOfScope(scope)) ?? checked;
    if (made.problem) return made;
    const { id } = this.#resource.collection;
    const isOwn = ([name, value]: [string, unknown]) =>
      isMade(name) && !(name === id && (value === null || `${value}` === "0"));
    const record = { ...made.value, ...Object.fromEntries(entries.filter(isOwn)) };
    const { problem } = this.#validateWhole(this.#resource.withExampleId(record), noun);
    return problem ? { problem } : { value: record };
  }

  #place(record: object, line: unknown, place: Place, isWhole: boolean): Checked<ImportedRecord> {
    const resource = this.#resource;
    const { idPath, collection } = resource;
    const scope = toScope(place.scope);
    const own = place.id ?? resource.idIn(line);
    const { id, record: placed } = placeRecord(resource, record, own);
    // Only requests that create records send 0 for an id that the server makes.
    if (id === undefined && resource.isImported && `${own}` === "0")
      return { problem: { path: idPath.join("."), requirement: `${resource.findIdProblem(own, place.scope)}` } };
    if (id === undefined) return { value: { record, scope, id, isWhole } };
    const requirement = resource.findIdProblem(id, place.scope);
    if (requirement !== undefined)
      return { problem: { path: idPath.join(".") || `${this.#placeNames.id}`, requirement } };
    return { value: { record: placed, scope, id: collection.idType === "int64" ? BigInt(id) : id, isWhole } };
  }
}
