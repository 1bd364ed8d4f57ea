// Fills the empty collections of a store with records.
import { setImmediate as nextTick, setTimeout as pause } from "node:timers/promises";
import type { Faker } from "@faker-js/faker";
import { parseJson, toSnakeCase, UnavailableError } from "../../lib/index.ts";
import type { Document } from "../../openapi/index.ts";
import { type IdForm, idForms, type Records, type Store } from "../../store/index.ts";
import { readResources } from "../recognition/find-collections.ts";
import { isParent } from "../recognition/parents.ts";
import type { Resource } from "../record/resource.ts";
import { addRecord } from "../records/place-record.ts";
import { recordsInExamples } from "./document-examples.ts";
import { makeSeed } from "./seed-record.ts";

const maxExisting = 100; // records of a collection to which others refer
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
  const resources = inOrder(readResources(document).filter(({ isSingle }) => !isSingle));
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

// `author_id` and `author` refer to authors.
function refersTo(property: string, { recordName, path }: Resource): boolean {
  const name = toSnakeCase(property).replace(/_(id|uuid|key|slug)$/, "");
  return name === recordName || name === toSnakeCase(path.slice(path.lastIndexOf("/") + 1)).replace(/s$/, "");
}

type Seeded = Omit<SeedResult, "name">;

// The values of the parameters of a path, of each scope.
type Scopes = readonly (readonly string[])[];

class Seeder {
  readonly #resources: readonly Resource[];
  readonly #records: Records;
  // By collection: the values of the parameters of the path of each record.
  readonly #paths = new Map<string, (readonly string[])[]>();
  readonly #faker: Faker | undefined;

  constructor(resources: readonly Resource[], records: Records, faker: Faker | undefined) {
    this.#resources = resources;
    this.#records = records;
    this.#faker = faker;
  }

  /** Creates records in a collection that is empty: those in the examples, or `count` that look like real ones. */
  async fill(resource: Resource, count: number | undefined): Promise<Seeded> {
    if (await this.#readExisting(resource)) return { created: 0, reason: "it has records" };
    const scopes = this.#scopesOf(resource);
    if (scopes.length === 0) return { created: 0, reason: "the collection above it is empty" };
    return count === undefined ? this.#addExamples(resource, scopes) : this.#addMade(resource, scopes, count);
  }

  // Returns whether a collection has records, to which those of others can refer.
  async #readExisting(resource: Resource): Promise<boolean> {
    const page = await this.#records(resource.name).list({ limit: maxExisting });
    const ids = (parseJson(page.records.text) as unknown[]).map((record) => resource.idIn(record));
    // A record does not say in which scope it is.
    const paths = ids.map((id) => [`${id}`]);
    if (!resource.collection.isScoped) this.#paths.set(resource.name, paths);
    return ids.length > 0;
  }

  async #addExamples(resource: Resource, [scope = []]: Scopes): Promise<Seeded> {
    let created = 0;
    for (const record of recordsInExamples(resource)) if (await this.#add(resource, scope, record, true)) created++;
    return { created, ...(created === 0 && { reason: "no example matches its schema" }) };
  }

  async #addMade(resource: Resource, scopes: Scopes, count: number): Promise<Seeded> {
    const faker = this.#faker as Faker;
    let created = 0;
    for (let number = 0; number < count; number++) {
      if (number % recordsPerTick === 0) await nextTick(); // SQLite writes synchronously: no signal would be handled
      const scope = scopes[number % scopes.length] as readonly string[];
      const reference = (name: string) => this.#referenceOf(resource, name, faker);
      const record = makeSeed(resource, { faker, reference, fixed: resource.membersOfScope(scope) });
      if (record && (await this.#add(resource, scope, record, false))) created++;
    }
    return { created, ...(created < count && { reason: "no record was found that matches its schema" }) };
  }

  // The values of the parameters of the path of a collection: those of the records above it, or of examples.
  #scopesOf(resource: Resource): Scopes {
    if (!resource.collection.isScoped) return [[]];
    const parent = this.#resources.find((one) => isParent(one, resource));
    if (parent) return this.#paths.get(parent.name) ?? [];
    const { parameterParts } = resource.item;
    const values = resource.scopeParameters.map((name) => {
      const part = parameterParts.find(({ value }) => value.in === "path" && value.name === name);
      const schema = Object(part?.at("schema")?.value) as Readonly<Record<string, unknown>>;
      const [first] = [
        (Object(part?.value) as { readonly example?: unknown }).example,
        schema.example,
        schema.default,
        ...((schema.enum as unknown[]) ?? []),
      ].filter((value) => value !== undefined);
      return `${first ?? (schema.type === "integer" ? 1 : "example")}`;
    });
    return [values];
  }

  #referenceOf(from: Resource, property: string, faker: Faker): unknown {
    const target = this.#resources.find((one) => one !== from && refersTo(property, one));
    const paths = target && this.#paths.get(target.name);
    if (paths === undefined || paths.length === 0) return undefined;
    const id = faker.helpers.arrayElement(paths).at(-1) as string;
    return target?.collection.idType === "int64" ? BigInt(id) : id;
  }

  // With the id that it has, if clients choose ids or it is that of an example. Returns false if another record has it.
  async #add(resource: Resource, scope: readonly string[], record: object, keepsId: boolean): Promise<boolean> {
    const { collection, idPath, newRecord } = resource;
    const { idType, idForm, isScoped } = collection;
    const isChosen = idType === "string" && (idForm === undefined || newRecord.required.includes(idPath.join(".")));
    const own = keepsId || isChosen ? resource.idIn(record) : undefined;
    const made = collection.id === undefined ? (idForm ? idForms[idForm]() : this.#chooseId(resource)) : undefined;
    const id = idType === "int64" && isScoped ? undefined : (own ?? made);
    if (id === undefined && idType === "int64") return this.#put(resource, scope, record);
    if (id === undefined) return this.#put(resource, scope, record, this.#makeId(idForm ?? "uuid"));
    if (await this.#put(resource, scope, record, `${id}`)) return true;
    const other = `${id}-${(this.#paths.get(resource.name)?.length ?? 0) + 1}`;
    return (
      isChosen && !keepsId && resource.record.acceptsAt(idPath, other) && this.#put(resource, scope, record, other)
    );
  }

  // Returns false if the record can't be there. Without an id, the store makes one.
  async #put(resource: Resource, scope: readonly string[], record: object, id?: string): Promise<boolean> {
    const records = this.#records(resource.name);
    const { id: name = "", idType } = resource.collection;
    const address = id === undefined ? undefined : resource.addressAt(scope, id);
    if (address !== undefined && (resource.findIdProblem(id, scope) ?? (await records.find(address)))) return false;
    const { [name]: _, ...others } = record as Readonly<Record<string, unknown>>;
    const placed = { id, record: id === undefined && idType === "int64" ? others : resource.withId(record, id) };
    const exists = () => new Error("Another record has the id.");
    const result = await addRecord(records, resource, placed, { scope, exists });
    if (result.outcome !== "created") return false;
    this.#remember(resource, scope, id ?? `${resource.idIn(parseJson(result.record.text))}`);
    return true;
  }

  // The same each time for made records.
  #makeId(form: IdForm): string {
    const { string } = this.#faker ?? {};
    if (form === "uuid" && string) return string.uuid();
    if (form === "hex" && string) return string.hexadecimal({ length: 24, casing: "lower", prefix: "" });
    return form === "base64url" && string ? string.alphanumeric(22) : idForms[form]();
  }

  // For a record without an id, a text for the parameter of its path.
  #chooseId({ parameter }: Resource): string {
    return `${toSnakeCase(parameter)}-${(this.#faker?.string.alphanumeric(6) ?? "example").toLowerCase()}`;
  }

  #remember({ name }: Resource, scope: readonly string[], id: string): void {
    const paths = this.#paths.get(name) ?? [];
    paths.push([...scope, id]);
    this.#paths.set(name, paths);
  }
}
