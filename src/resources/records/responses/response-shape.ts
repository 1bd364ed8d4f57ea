// Shapes the records of a response as a request selects it: some of their members, and other records in place of their ids.
import { HttpError, InvalidRequest } from "../../../http/index.ts";
import { getOrAdd, isObject, parseJson, RawJson, toJson } from "../../../lib/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import { type Records, scopeFilter, toScope } from "../../../store/index.ts";
import { attributesName } from "../../names/member-names.ts";
import { findCounted } from "../../recognition/made-members.ts";
import type { PlannedAction } from "../../recognition/plan.ts";
import type { ExpansionTarget } from "../../recognition/responses/response-shape.ts";
import type { Resource } from "../../record/resource.ts";
import { notUnderstood } from "../requests/request.ts";

type Members = Readonly<Record<string, unknown>>;

const maxExpanded = 1_000; // other records in a response
const maxMiB = 16;
const maxLength = maxMiB * 1_048_576; // of their JSON, each time that the response has it
const maxBelow = 1_000; // of each record

interface ShapeOptions {
  readonly resource: Resource;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly records: Records;
}

/** What a request can select, and the records that are always part of others. */
export type ShapePlan = Pick<PlannedAction, "fieldsParameter" | "expansion" | "embedded" | "children">;

interface ShapeParts {
  readonly fields: readonly string[] | undefined;
  readonly targets: readonly ExpansionTarget[];
  /** The members that must have no id. */
  readonly others: readonly string[];
}

/** What a request selects of the records in its response. */
export class ResponseShape {
  readonly #options: ShapeOptions;
  readonly #fields: readonly string[] | undefined;
  readonly #targets: readonly ExpansionTarget[];
  readonly #others: readonly string[];
  readonly #parameter: string; // that expands
  // The members with the number of records below, and those with these records.
  readonly #counts: readonly (readonly [string, string])[];
  readonly #known = new Map<string, Promise<{ readonly value: unknown; readonly length: number }>>();
  #length = 0;

  /** Returns the shape of a request; undefined for whole records. Throws an InvalidRequest for a name that is not known. */
  static of(
    call: UntypedCall,
    { fieldsParameter, expansion, embedded, children }: ShapePlan,
    options: ShapeOptions,
  ): ResponseShape | undefined {
    const fields = namesIn(call, fieldsParameter);
    const expanded = namesIn(call, expansion?.parameter);
    if (fields === undefined && expanded === undefined && !embedded && !children) return undefined;
    const { record } = options.resource;
    const known = [...record.propertyNames, ...(record.member(attributesName)?.propertyNames ?? [])];
    const own = fields?.map((name) => requireName(name.split(".", 1)[0] as string, known, `${fieldsParameter}`));
    const { targets = {}, others = [] } = expansion ?? {};
    // Stripe names the members of a list behind `data.`.
    const names = (expanded ?? []).map((name) => name.replace(/^data\./, ""));
    const firstOf = (name: string) => (Object.hasOwn(targets, name) ? name : (name.split(".", 1)[0] as string));
    const isKnown = (name: string) => Object.hasOwn(targets, name) || (!expansion?.isEnum && others.includes(name));
    const other = names.find((name) => !isKnown(firstOf(name)));
    if (other !== undefined) throw notUnderstood(`parameter ${expansion?.parameter}=${other}`);
    const members = names.map(firstOf);
    const wanted = members.flatMap((name) => targets[name] ?? []);
    const added = wanted.map(({ member }) => member);
    const always = [
      ...Object.entries(embedded ?? {}).map(([member, collection]) => ({ collection, member, id: member })),
      ...Object.entries(children ?? {}).map(([member, collection]) => ({ collection, member })),
    ];
    const parts = {
      fields: own && [...own, ...added, ...members],
      targets: [...always, ...wanted],
      others: members.filter((name) => others.includes(name)),
    };
    return new ResponseShape(parts, expansion?.parameter ?? "limit", options);
  }

  private constructor({ fields, targets, others }: ShapeParts, parameter: string, options: ShapeOptions) {
    this.#fields = fields;
    this.#targets = targets;
    this.#others = others;
    this.#parameter = parameter;
    const below = targets.flatMap(({ id, member }) => (id === undefined ? [member] : []));
    const { record } = options.resource;
    this.#counts = below.flatMap((member) =>
      record.propertyNames.flatMap((name) => (findCounted(name, record) === member ? [[name, member] as const] : [])),
    );
    this.#options = options;
  }

  /** Returns a record, or an array of them, as a response has it. `scope` are the values of the path above the records. */
  async apply(records: RawJson<unknown>, scope: readonly string[]): Promise<RawJson<unknown>> {
    const parsed = parseJson(records.text, Number.POSITIVE_INFINITY);
    const shaped = Array.isArray(parsed)
      ? await Promise.all(parsed.map((one) => this.#shape(one, scope)))
      : await this.#shape(parsed as Members, scope);
    return new RawJson(toJson(shaped));
  }

  async #shape(record: Members, scope: readonly string[]): Promise<object> {
    const unknown = this.#others.find((name) => ["string", "number", "bigint"].includes(typeof record[name]));
    if (unknown !== undefined) throw notUnderstood(`parameter ${this.#parameter}=${unknown}`);
    const others = await Promise.all(
      this.#targets.map(async (target) => [target.member, await this.#find(record, target, scope)] as const),
    );
    const expanded: Members = { ...record, ...Object.fromEntries(others.filter(([, value]) => value !== undefined)) };
    const counts = this.#counts.flatMap(([name, member]) =>
      Object.hasOwn(record, name) ? [[name, [expanded[member] ?? []].flat().length]] : [],
    );
    return this.#select({ ...expanded, ...Object.fromEntries(counts) });
  }

  // The members that are selected, the id, and those without which it would not match its schema. Of JSON:API, those of the attributes.
  #select(record: Members): object {
    const fields = this.#fields;
    if (fields === undefined) return record;
    const pick = (members: Members, names: readonly string[]) =>
      Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
    const attributes = record[attributesName];
    const { record: schema, idPath } = this.#options.resource;
    const own = pick(record, [...idPath.slice(0, 1), ...schema.required, ...fields]);
    if (!isObject(attributes)) return own;
    const required = schema.member(attributesName)?.required ?? [];
    const inner = pick(attributes as Members, [...required, ...fields]);
    return { ...own, ...pick(record, ["type", "links"]), [attributesName]: inner };
  }

  async #find(
    record: Members,
    { collection, member: shown, id: member }: ExpansionTarget,
    scope: readonly string[],
  ): Promise<unknown> {
    const { resource: own, resources, records } = this.#options;
    const resource = resources.get(collection) as Resource;
    if (member === undefined) {
      const filter = { [scopeFilter.name]: toScope([...scope, `${own.idIn(record)}`]) };
      const { records: below, last } = await records(collection).list({ limit: maxBelow, filter });
      this.#length += below.text.length;
      if (this.#length > maxLength)
        throw new HttpError(
          "not_implemented",
          `A response can have up to ${maxMiB} MiB of ${collection}. Request fewer records.`,
        );
      return last === undefined ? (record[shown] ?? []) : parseJson(below.text, Number.POSITIVE_INFINITY); // an imported record has its own
    }
    const ids = record[member];
    // One that does not exist stays an id, or as it was.
    const find = async (value: unknown) => {
      const id = isObject(value) ? resource.idIn(value) : value;
      if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint") return value;
      const address = resource.addressAt(scope.slice(0, resource.scopeParameters.length), `${id}`);
      return (await this.#once(`${collection}/${address}`, () => records(collection).find(address))) ?? value;
    };
    return Array.isArray(ids) ? Promise.all(ids.map(find)) : find(ids);
  }

  // Reads records once, and returns their value.
  async #once(key: string, read: () => Promise<RawJson<unknown> | undefined>): Promise<unknown> {
    const parse = async () => {
      const { text } = (await read()) ?? {};
      return text === undefined
        ? { value: undefined, length: 0 }
        : { value: parseJson(text, Number.POSITIVE_INFINITY), length: text.length };
    };
    if (this.#known.size < maxExpanded) getOrAdd(this.#known, key, parse);
    const found = await this.#known.get(key);
    this.#length += found?.length ?? 0;
    if (found === undefined || this.#length > maxLength) {
      const limits = `${maxExpanded} other records and ${maxMiB} MiB of them`;
      const message = `A response can have up to ${limits}. Select fewer records.`;
      throw new InvalidRequest([{ location: "query", name: this.#parameter, message }]);
    }
    return found.value;
  }
}

// The names in a parameter: several values, or a text with commas.
function namesIn({ query }: UntypedCall, parameter: string | undefined): readonly string[] | undefined {
  const value = parameter === undefined ? undefined : (query as Members)[parameter];
  if (value === undefined) return undefined;
  const names = [isObject(value) ? Object.values(value) : value].flat(2).flatMap((one) => `${one}`.split(","));
  // A space in front of the first one is a plus sign.
  const trimmed = names.map((name, index) => (index === 0 ? name.trimEnd() : name.trim()));
  return [...new Set(trimmed)].filter((name) => name !== "");
}

function requireName(name: string, known: readonly string[], parameter: string): string {
  if (known.includes(name)) return name;
  // Such as `+title`, with a space in place of the + in a query, which can add it to those that a response has by default.
  if (!/^[\w.@][\w.@-]*$/.test(name)) throw notUnderstood(`parameter ${parameter}=${name}`);
  const message = `The parameter ${parameter} can't have ${name}. It can have: ${known.join(", ")}.`;
  throw new InvalidRequest([{ location: "query", name: parameter, message }]);
}
