// Fills the empty collections of a store with records.

import { setImmediate as nextTick, setTimeout as pause } from "node:timers/promises";
import type { Faker } from "@faker-js/faker";
import { getOrAdd, parseJson, toJson, toSnakeCase, UnavailableError } from "../../lib/index.ts";
import type { Document } from "../../openapi/index.ts";
import { type Collection, type KeyMember, makeId, type Records, type Store } from "../../store/index.ts";
import { readResources } from "../recognition/collections/find-collections.ts";
import { collectionsBelow, isParent, refersTo } from "../recognition/collections/parents.ts";
import type { Resource } from "../record/resource.ts";
import { addRecord } from "../records/place-record.ts";
import { recordsInExamples } from "./document-examples.ts";
import { type Reference, SeedMaker } from "./seed-record.ts";

const maxExisting = 100; // records of a collection to which others refer
const maxKept = 1_000; // of which others have members
const attempts = 5; // to make a record with an id that no other has
const maxWait = 60_000; // milliseconds
const retryInterval = 100; // milliseconds
const recordsPerTick = 100;

/** How many records were created in a collection. `reason` says why it has fewer than wanted. */
export interface SeedResult {
  readonly name: string;
  readonly created: number;
  readonly reason?: string;
}

/**
 * Creates records in each collection of a document that is empty: those in its examples, or `count` that look like real ones, the same each
 * time. Properties that are named like another collection have ids of its records. Each record matches its schema. Creates all of them in
 * one transaction, or none. Waits for up to 60 s while another process does it.
 */
export async function seedRecords(
  document: Document,
  store: Pick<Store, "transaction">,
  count?: number,
): Promise<readonly SeedResult[]> {
  const resources = inOrder(readResources(document).filter((one) => !one.isSingle || one.isImported));
  const faker = count === undefined ? undefined : (await import("@faker-js/faker/locale/en")).faker;
  const seedAll = async (records: Records) => {
    faker?.seed(1);
    const seeder = new Seeder(resources, records, faker);
    const results: SeedResult[] = [];
    for (const resource of resources) results.push({ name: resource.name, ...(await seeder.fill(resource, count)) });
    return results;
  };
  for (const deadline = performance.now() + maxWait; ; await pause(retryInterval)) {
    try {
      return await store.transaction(seedAll, { blocksCreates: true });
    } catch (error) {
      if (!(error instanceof UnavailableError) || performance.now() > deadline) throw error;
    }
  }
}

// Those to which others refer come first.
function inOrder(resources: readonly Resource[]): readonly Resource[] {
  const ordered = new Set<Resource>();
  const visited = new Set<Resource>();
  const visit = (resource: Resource) => {
    if (visited.has(resource)) return;
    visited.add(resource);
    const isNamed = (one: Resource) => resource.record.propertyNames.some((name) => refersTo(name, one));
    const others = resources.filter((one) => one !== resource);
    for (const one of others) if (isParent(one, resource) || isNamed(one)) visit(one);
    ordered.add(resource);
  };
  for (const resource of resources) visit(resource);
  return [...ordered];
}

/** A record that exists: the values of the parameters of its path, and its members, of the first ones. */
interface Known {
  readonly path: readonly string[];
  readonly members?: Readonly<Record<string, unknown>>;
}

type Seeded = Omit<SeedResult, "name">;

// Clients choose the ids of its records, or can.
const canChoose = ({ plan: { id } }: Resource) => id.type === "string" && (id.form === undefined || id.isSent);

class Seeder {
  readonly #resources: readonly Resource[];
  readonly #records: Records;
  readonly #known = new Map<string, Known[]>(); // by collection
  readonly #uniques = new Set<string>(); // the values that no other record can have
  readonly #faker: Faker | undefined;

  constructor(resources: readonly Resource[], records: Records, faker: Faker | undefined) {
    this.#resources = resources;
    this.#records = records;
    this.#faker = faker;
  }

  /** Creates records in a collection that is empty: those in the examples, or `count` that look like real ones. */
  async fill(resource: Resource, count: number | undefined): Promise<Seeded> {
    if (await this.#readExisting(resource)) return { created: 0, reason: "it has records" };
    const above = this.#recordsAbove(resource);
    if (above.length === 0) return { created: 0, reason: "the collection above it is empty" };
    if (count === undefined) return this.#addExamples(resource, above);
    return this.#addMade(resource, above, resource.isSingle ? Math.min(count, 1) : count);
  }

  // Returns whether a collection has records, to which those of others can refer.
  async #readExisting(resource: Resource): Promise<boolean> {
    const page = await this.#records(resource.name).list({ limit: maxExisting });
    const found = parseJson(page.records.text) as object[];
    // A record does not say in which scope it is.
    if (!resource.collection.isScoped)
      for (const one of found) this.#remember(resource, [`${resource.idIn(one)}`], one);
    return found.length > 0;
  }

  async #addExamples(resource: Resource, [above]: readonly Known[]): Promise<Seeded> {
    let created = 0;
    for (const record of recordsInExamples(resource))
      if (await this.#add(resource, above?.path ?? [], record, true)) created++;
    return { created, ...(created === 0 && { reason: "no example matches its schema" }) };
  }

  async #addMade(resource: Resource, parents: readonly Known[], count: number): Promise<Seeded> {
    const maker = new SeedMaker(resource, this.#faker as Faker);
    const targets = new Map<string, Resource | undefined>(); // by the name of a member
    const targetOf = (name: string) => this.#resources.find((one) => one !== resource && refersTo(name, one));
    let created = 0;
    for (let number = 0; number < count; number++) {
      if (number % recordsPerTick === 0) await nextTick(); // SQLite writes synchronously: no signal would be handled
      const above = parents[number % parents.length] as Known;
      const find = (name: string) => {
        const target = getOrAdd(targets, name, () => targetOf(name));
        return target && this.#findReference(target, resource, above);
      };
      for (let left = canChoose(resource) ? attempts : 1, isAdded = false; left > 0 && !isAdded; left--) {
        const record = maker.make(find, resource.membersOfScope(above.path));
        isAdded = record !== undefined && (await this.#add(resource, above.path, record, false, left === 1));
        if (isAdded) created++;
      }
    }
    return { created, ...(created < count && { reason: "no record was found that matches its schema" }) };
  }

  // The records above a collection. If the document does not have them, one whose path is made of examples.
  #recordsAbove(resource: Resource): readonly Known[] {
    if (!resource.collection.isScoped) return [{ path: [] }];
    const parent = this.#resources.find((one) => isParent(one, resource));
    if (parent) return this.#known.get(parent.name) ?? [];
    const { parameterParts } = resource.item;
    const values = resource.scopeParameters.map((name) => {
      const part = parameterParts.find(({ value }) => value.name === name);
      const schema = Object(part?.at("schema")?.value) as Readonly<Record<string, unknown>>;
      const [first] = [
        (Object(part?.value) as { readonly example?: unknown }).example,
        schema.example,
        schema.default,
        ...((schema.enum as unknown[]) ?? []),
      ].filter((value) => value !== undefined);
      return `${first ?? (schema.type === "integer" ? 1 : "example")}`;
    });
    return [{ path: values }];
  }

  // Returns the record above if it is one of the target, or else any one.
  #findReference(target: Resource, from: Resource, above: Known): Reference | undefined {
    const known = this.#known.get(target.name);
    if (known === undefined) return undefined;
    const depth = target.scopeParameters.length;
    const isAbove = collectionsBelow(target.plan, [from.plan]).length > 0;
    const isParent = isAbove && above.path.length === depth + 1;
    const found = isAbove
      ? { path: above.path.slice(0, depth + 1), members: isParent ? above.members : {} }
      : this.#faker?.helpers.arrayElement(known);
    const id = found?.path.at(-1) as string;
    return { id: target.collection.idType === "int64" ? parseJson(id) : id, members: found?.members ?? {} };
  }

  // With the id that it has, if clients choose ids or it is that of an example. Returns false if another record has it, unless it is the last.
  async #add(
    resource: Resource,
    scope: readonly string[],
    record: object,
    keepsId: boolean,
    isLast = false,
  ): Promise<boolean> {
    const { collection, idPath } = resource;
    const { idType, idForm, isScoped } = collection;
    const isChosen = canChoose(resource);
    const own = keepsId || isChosen ? resource.idIn(record) : undefined;
    const made =
      collection.id === undefined ? (idForm ? this.#makeId(collection) : this.#chooseId(resource)) : undefined;
    const id = idType === "int64" && isScoped ? undefined : (own ?? made);
    if (id === undefined && idType === "int64") return this.#put(resource, scope, record);
    if (id === undefined) return this.#put(resource, scope, record, this.#makeId(collection));
    if (await this.#put(resource, scope, record, `${id}`)) return true;
    const other = `${id}-${(this.#known.get(resource.name)?.length ?? 0) + 1}`;
    return isChosen && isLast && resource.record.acceptsAt(idPath, other) && this.#put(resource, scope, record, other);
  }

  // Returns false if the record can't be there. Without an id, the store makes one.
  async #put(resource: Resource, scope: readonly string[], made: object, id?: string): Promise<boolean> {
    const records = this.#records(resource.name);
    const { id: name = "", idType } = resource.collection;
    const record = this.#withReferences(resource, made);
    const keys = this.#uniqueKeys(resource, scope, record);
    if (record === undefined || keys.some((key) => this.#uniques.has(key))) return false;
    const address = id === undefined ? undefined : resource.addressAt(scope, id);
    if (address !== undefined && (resource.findIdProblem(id, scope) ?? (await records.find(address)))) return false;
    const { [name]: _, ...others } = record as Readonly<Record<string, unknown>>;
    const placed = { id, record: id === undefined && idType === "int64" ? others : resource.withId(record, id) };
    const exists = () => new Error("Another record has the id.");
    const result = await addRecord(records, resource, placed, { scope, exists });
    if (result.outcome !== "created") return false;
    for (const key of keys) this.#uniques.add(key);
    const own = parseJson(result.record.text) as object;
    this.#remember(resource, [...scope, id ?? `${resource.idIn(own)}`], own);
    return true;
  }

  // With ids of records that exist, or without them; undefined if the record requires one.
  #withReferences({ collection, record: schema }: Resource, record: object): object | undefined {
    const { references = [] } = collection;
    const members: Record<string, unknown> = { ...record };
    for (const { property, member, to, type } of references) {
      const known = this.#known.get(to) ?? [];
      const id = known[(this.#faker?.number.int(known.length) ?? 0) % Math.max(known.length, 1)]?.path.at(-1);
      const found = id === undefined ? undefined : type === "int64" ? parseJson(id) : id;
      if (found === undefined && schema.required.includes(property)) return undefined;
      if (member !== undefined && found !== undefined)
        members[property] = { ...Object(members[property]), [member]: found };
      else if (found !== undefined) members[property] = found;
      else delete members[property];
    }
    return members;
  }

  #uniqueKeys({ name, collection }: Resource, scope: readonly string[], record: object = {}): string[] {
    const read = ({ property, member }: KeyMember): unknown => {
      const value = (record as Readonly<Record<string, unknown>>)[property];
      return member === undefined ? value : Object(value)[member];
    };
    return (collection.uniques ?? []).flatMap((members, index) => {
      const values = members.map(read);
      return values.some((value) => value == null) ? [] : [toJson([name, scope, index, values])];
    });
  }

  // The same each time for made records, but for digits.
  #makeId({ idForm: form = "uuid", idPrefix: prefix = "" }: Collection): string {
    const { string } = this.#faker ?? {};
    const hex = (length: number) => string?.hexadecimal({ length, casing: "lower", prefix: "" });
    const forms = { uuid: string?.uuid(), hex: hex(24), hex32: hex(32), base64url: string?.alphanumeric(22) };
    const own = (forms as Readonly<Record<string, string | undefined>>)[form];
    return own === undefined ? makeId(form, prefix) : prefix + own;
  }

  // For a record without an id, a text for the parameter of its path.
  #chooseId({ parameter }: Resource): string {
    return `${toSnakeCase(parameter)}-${(this.#faker?.string.alphanumeric(6) ?? "example").toLowerCase()}`;
  }

  #remember({ name }: Resource, path: readonly string[], record: object): void {
    const known = this.#known.get(name) ?? [];
    known.push({ path, ...(known.length < maxKept && { members: record as Readonly<Record<string, unknown>> }) });
    this.#known.set(name, known);
  }
}
