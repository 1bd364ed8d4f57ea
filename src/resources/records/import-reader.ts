// Reads the records of an import: whole ones, as an export writes them, and those of requests, which are completed as a POST would.
import type { Checked } from "../../lib/index.ts";
import type { TableRow } from "../../openapi/application.ts";
import { findKeyProblem, idForms, placeNames, type RecordId, toAddress, toScope } from "../../store/index.ts";
import { findStandardOperations, type RecordMaker, type RecordSchema, type Resource } from "../model/index.ts";

/** A record of an import. */
export interface ImportedRecord {
  readonly record: object;
  /** Its scope, see `toScope`; empty for a collection without scopes. */
  readonly scope: string;
  /** Its id; undefined if the store makes it. */
  readonly id: RecordId | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** How the members of a record are read: as a whole record, or as that of a request. */
interface Validators<M> {
  readonly whole: (members: M) => Checked<object>;
  readonly added: (members: M) => Checked<object>;
}

/**
 * Reads the records of an import into a collection. One that has an id, and matches the schema of a response, is stored as it is. Another
 * one is what a request has of a record. Beside its members, both can have those of `placeNames`.
 */
export class ImportReader {
  readonly #resource: Resource;
  readonly #defaultScope: string | undefined;
  /** Completes the record of a request; undefined if it is complete. */
  readonly #maker: RecordMaker | undefined;
  /** Whether the record of a request may be incomplete. */
  readonly #isUncertain: boolean;
  readonly #added: RecordSchema;
  readonly #placeNames: readonly string[];
  readonly #values: Validators<unknown>;
  #rows: Validators<TableRow> | undefined;

  /** `scope` has the values of the path for records that do not have them. Compiles schemas, which is expensive. */
  constructor(resource: Resource, scope?: readonly string[]) {
    const { record, newRecord, operations, collection } = resource;
    const [certain, likely] = (["certain", "likely"] as const).map((certainty) =>
      findStandardOperations(record.document, certainty).known.find(
        ({ operation }) => operation === (operations.create ?? operations.replace),
      ),
    );
    const maker = likely?.maker;
    const isComplete = certain !== undefined && maker?.made.length === 0;
    this.#resource = resource;
    this.#placeNames = [
      ...(collection.isScoped ? [placeNames.scope] : []),
      ...(resource.idPath.length === 0 ? [placeNames.id] : []),
    ];
    this.#defaultScope = collection.isScoped ? scope && toScope(scope) : "";
    this.#maker = isComplete ? undefined : maker;
    this.#isUncertain = !isComplete && maker === undefined;
    this.#added = maker?.body ?? newRecord;
    this.#values = { whole: record.createValidator("response"), added: this.#added.createValidator("request") };
  }

  /** The columns that a table can have. */
  get columns(): readonly string[] {
    const { record } = this.#resource;
    return [...new Set([...this.#placeNames, ...record.propertyNames, ...this.#added.propertyNames])];
  }

  /** The columns that a table must have, whichever its records are. */
  get requiredColumns(): readonly string[] {
    const { required } = this.#resource.record;
    return this.#added.requiredOfRequest.filter((name) => required.includes(name));
  }

  /** Reads a parsed value. */
  read(value: unknown): Checked<ImportedRecord> {
    return this.#read(value, this.#values);
  }

  /** Reads a row of a table, whose cells are texts. Those of objects and arrays are JSON. */
  readRow(row: TableRow): Checked<ImportedRecord> {
    this.#rows ??= {
      whole: this.#resource.record.createRowValidator("response"),
      added: this.#added.createRowValidator("request"),
    };
    return this.#read(row, this.#rows);
  }

  #read<M>(line: M, { whole, added }: Validators<M>): Checked<ImportedRecord> {
    const { isScoped } = this.#resource.collection;
    const { [placeNames.scope]: sentScope, [placeNames.id]: sentId } = Object(line) as Members;
    const scope = isScoped ? this.#readScope(sentScope ?? undefined) : { value: "" };
    if (scope.problem) return scope;
    const members = this.#withoutPlace(line);
    const found = this.#hasId(line) ? this.#place(whole(members), scope.value, sentId) : undefined;
    if (found?.value && this.#maker?.made.every((name) => Object.hasOwn(found.value.record, name)) !== false)
      return found;
    const made = this.#place(this.#complete(added(members)), scope.value, sentId);
    if (made.value || found === undefined) return made;
    return found.value || !this.#resource.takesId ? found : made;
  }

  #hasId(line: unknown): boolean {
    const [name = placeNames.id] = this.#resource.idPath;
    return (Object(line) as Members)[name] != null;
  }

  #withoutPlace<M>(line: M): M {
    if (!this.#placeNames.some((name) => Object.hasOwn(Object(line), name))) return line;
    const members = Object.entries(line as Members).filter(([name]) => !this.#placeNames.includes(name));
    return Object.fromEntries(members) as M;
  }

  #readScope(sent: unknown): Checked<string> {
    const problem = (requirement: string) => ({ problem: { path: placeNames.scope, requirement } });
    if (sent === undefined && this.#defaultScope !== undefined) return { value: this.#defaultScope };
    const result = this.#resource.readScope(`${sent ?? ""}`);
    if ("problem" in result)
      return problem(`${result.problem}${sent === undefined ? ", or use --scope, if all records have the same" : ""}`);
    const scope = toScope(result.values);
    const isSame = this.#defaultScope === undefined || this.#defaultScope === scope;
    return isSame ? { value: scope } : problem("must be the scope into which the records are imported, or be left out");
  }

  #complete(checked: Checked<object>): Checked<object> {
    if (checked.problem) return checked;
    if (this.#maker) return this.#maker.create(checked.value);
    if (!this.#isUncertain) return checked;
    const { problem } = this.#values.whole(this.#resource.withSampleId(checked.value));
    return problem ? { problem } : checked;
  }

  #place({ value: record, problem }: Checked<object>, scope: string, sentId: unknown): Checked<ImportedRecord> {
    if (problem) return { problem };
    const resource = this.#resource;
    const { idPath, collection } = resource;
    const { idType, idForm = "uuid", isScoped, id: name } = collection;
    const isInPath = idPath.length === 0;
    const own = isInPath ? (sentId ?? undefined) : resource.idIn(record);
    // Clients of generated ids send 0, the default of an integer.
    const isMade = own === undefined || (idType === "int64" && `${own}` === "0");
    if (isMade && isInPath)
      return { problem: { path: "", requirement: `must have '${placeNames.id}', the id of its path` } };
    if (isMade && name !== undefined) return { value: { record, scope, id: undefined } };
    const id = isMade ? idForms[idForm]() : own;
    const address = isScoped ? toAddress(scope, `${id}`) : undefined;
    const requirement = resource.findIdProblem(id) ?? (address === undefined ? undefined : findKeyProblem(address));
    if (requirement !== undefined) return { problem: { path: idPath.join(".") || placeNames.id, requirement } };
    const known = idType === "int64" ? BigInt(id as number) : `${id}`;
    return { value: { record: resource.withId(record, known), scope, id: known } };
  }
}
