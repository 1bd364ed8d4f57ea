// Shapes the records of a response as a request selects it: some of their members, and other records in place of their ids.
import { InvalidRequest } from "../../http/index.ts";
import { isObject, parseJson, RawJson, toJson } from "../../lib/index.ts";
import type { UntypedCall } from "../../openapi/index.ts";
import { type RecordId, type Records, scopeFilter, toScope } from "../../store/index.ts";
import type { PlannedAction } from "../recognition/plan.ts";
import type { ExpansionTarget } from "../recognition/response-shape.ts";
import { attributesName } from "../record/name-tables.ts";
import type { Resource } from "../record/resource.ts";

type Members = Readonly<Record<string, unknown>>;

const maxExpanded = 1_000; // other records in a response
const maxBelow = 100; // of each record

/** What a request selects of the records in its response. */
export class ResponseShape {
  readonly #resource: Resource;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #records: Records;
  readonly #fields: readonly string[] | undefined;
  readonly #targets: readonly ExpansionTarget[];
  readonly #known = new Map<string, Promise<unknown>>();

  /** Returns the shape of a request; undefined for whole records. Throws an InvalidRequest for a name that is not known. */
  static of(
    call: UntypedCall,
    { fieldsParameter, expansion }: PlannedAction,
    options: {
      readonly resource: Resource;
      readonly resources: ReadonlyMap<string, Resource>;
      readonly records: Records;
    },
  ): ResponseShape | undefined {
    const fields = namesIn(call, fieldsParameter);
    const expanded = namesIn(call, expansion?.parameter);
    if (fields === undefined && expanded === undefined) return undefined;
    const { record } = options.resource;
    const known = [...record.propertyNames, ...(record.member(attributesName)?.propertyNames ?? [])];
    const own = fields?.map((name) => requireName(name.split(".", 1)[0] as string, known, `${fieldsParameter}`));
    const targets = expansion?.targets ?? {};
    // Stripe names the members of a list behind `data.`.
    const names = (expanded ?? []).map((name) => name.replace(/^data\./, ""));
    const wanted = names.map((name) => targets[requireName(name, Object.keys(targets), `${expansion?.parameter}`)]);
    return new ResponseShape(own, wanted as ExpansionTarget[], options);
  }

  private constructor(
    fields: readonly string[] | undefined,
    targets: readonly ExpansionTarget[],
    {
      resource,
      resources,
      records,
    }: { readonly resource: Resource; readonly resources: ReadonlyMap<string, Resource>; readonly records: Records },
  ) {
    this.#fields = fields;
    this.#targets = targets;
    this.#resource = resource;
    this.#resources = resources;
    this.#records = records;
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
    const others = await Promise.all(
      this.#targets.map(async (target) => [target.member, await this.#find(record, target, scope)] as const),
    );
    const expanded = { ...record, ...Object.fromEntries(others.filter(([, value]) => value !== undefined)) };
    return this.#select(expanded);
  }

  // The members that are selected, the id, and those without which it would not match its schema. Of JSON:API, those of the attributes.
  #select(record: Members): object {
    const fields = this.#fields;
    if (fields === undefined) return record;
    const expanded = this.#targets.map(({ member }) => member);
    const pick = (members: Members, names: readonly string[]) =>
      Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
    const attributes = record[attributesName];
    const { record: schema, idPath } = this.#resource;
    const own = pick(record, [...idPath.slice(0, 1), ...schema.required, ...fields, ...expanded]);
    if (!isObject(attributes)) return own;
    const required = schema.member(attributesName)?.required ?? [];
    const inner = pick(attributes as Members, [...required, ...fields]);
    return { ...own, ...pick(record, ["type", "links"]), [attributesName]: inner };
  }

  async #find(
    record: Members,
    { collection, id: member }: ExpansionTarget,
    scope: readonly string[],
  ): Promise<unknown> {
    const resource = this.#resources.get(collection) as Resource;
    if (member === undefined) {
      const inner = toScope([...scope, `${this.#resource.idIn(record)}`]);
      const below = () => this.#records(collection).list({ limit: maxBelow, filter: { [scopeFilter.name]: inner } });
      return this.#once(`${collection}/${inner}`, async () => parseJson((await below()).records.text));
    }
    const ids = record[member];
    const find = (id: unknown) => {
      if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint") return id;
      const address = resource.addressAt(scope.slice(0, resource.scopeParameters.length), `${id}`);
      return this.#once(`${collection}/${address}`, async () => this.#read(collection, address, id));
    };
    return Array.isArray(ids) ? Promise.all(ids.map(find)) : find(ids);
  }

  // One that does not exist stays an id.
  async #read(collection: string, address: RecordId, id: unknown): Promise<unknown> {
    const found = await this.#records(collection).find(address);
    return found === undefined ? id : parseJson(found.text, Number.POSITIVE_INFINITY);
  }

  #once(key: string, read: () => Promise<unknown>): Promise<unknown> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= maxExpanded)
      throw new InvalidRequest([
        {
          location: "query",
          name: "",
          message: `A response can have up to ${maxExpanded} other records. Select fewer records.`,
        },
      ]);
    const found = read();
    this.#known.set(key, found);
    return found;
  }
}

// The names in a parameter: several values, or a text with commas.
function namesIn({ query }: UntypedCall, parameter: string | undefined): readonly string[] | undefined {
  const value = parameter === undefined ? undefined : (query as Members)[parameter];
  if (value === undefined) return undefined;
  const names = [isObject(value) ? Object.values(value) : value].flat(2).flatMap((one) => `${one}`.split(","));
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function requireName(name: string, known: readonly string[], parameter: string): string {
  if (known.includes(name)) return name;
  const message = `The parameter ${parameter} can't have ${name}. It can have: ${known.join(", ")}.`;
  throw new InvalidRequest([{ location: "query", name: parameter, message }]);
}
