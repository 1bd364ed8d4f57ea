// Finds the collections of records of a document.
import { getOrAdd } from "../../../lib/index.ts";
import type { Document } from "../../../openapi/index.ts";
import type { Collection } from "../../../store/index.ts";
import { pluralsOf, singularOf } from "../../names/meaning.ts";
import type { CollectionPlan } from "../../record/collection-plan.ts";
import { Resource } from "../../record/resource.ts";
import { bodiesOf } from "../bodies-and-parameters.ts";
import { lastSegment, listPathOf, parametersOf } from "../paths.ts";
import { readPathHint } from "../x-resource.ts";
import { CollectionFinder } from "./collection-finder.ts";
import { nameAll } from "./collection-names.ts";
import { planConstraints } from "./constraints.ts";
import { lettersOf } from "./find-id.ts";
import { addViews } from "./other-paths.ts";
import { type FoundCollection, isImported, planCollection } from "./plan-collection.ts";

/**
 * Returns the collections of a document. Each has a path, and below it, that of a record. A record is returned by GET of its path, and
 * created by POST of that of the collection, or else by PUT of its own. Its id is an integer or a string. Parameters of the path
 * of the collection select the scope of its records. A path at which a record is returned and changed is a collection of one record.
 */
export function readResources(document: Document): readonly Resource[] {
  return getOrAdd(known, document, () => findCollections(document).map((plan) => new Resource(document, plan)));
}

const known = new WeakMap<Document, readonly Resource[]>();

/** Returns the collections of a document, to open its store. */
export function collectionsOf(document: Document): readonly Collection[] {
  return readResources(document).map(({ collection }) => collection);
}

function findCollections(document: Document): readonly CollectionPlan[] {
  const finder = new CollectionFinder(document);
  const found: FoundCollection[] = [];
  const memberships: FoundCollection[] = [];
  for (const one of document.operations.flatMap((item) => finder.findCollection(item) ?? []))
    (isMembership(one) ? memberships : found).push(one);
  const collections = firstOfEachPath(found.filter((one) => !isImported(one)));
  const singles = document.operations.flatMap((get) => finder.findSingle(get, collections) ?? []);
  const likely = found.filter(
    (one) => isImported(one) && !singles.some(({ path }) => path === one.path) && !isOtherKey(one, found),
  );
  const others = addViews(document, [...collections, ...singles, ...firstOfEachPath(likely)]);
  const lists = document.operations.flatMap((get) => finder.findList(get, [...others, ...memberships]) ?? []);
  const all = [...others, ...lists.filter((one) => !isKeptElsewhere(one, lists))];
  const planned = all.filter((one) => !all.some((other) => isCreatedElsewhere(one, other)));
  const names = nameAll(planned);
  const nameOf = (one: FoundCollection) => names.get(one) as string;
  return planned.map((one) => {
    const hint = readPathHint(document, one.item.path) || {};
    return { ...planCollection(one, nameOf(one), hint), ...planConstraints(hint, one, planned, nameOf) };
  });
}

// Whether a PUT without a body is all that makes or changes records, such as those of `/teams/{id}/repositories/{repositoryId}`: it can
// only add records of another collection to a list.
function isMembership({ operations: { create, replace, update } }: FoundCollection): boolean {
  return create === undefined && update === undefined && replace !== undefined && bodiesOf(replace).length === 0;
}

// Two paths such as `/fields/{id}` and `/fields/{fieldId}` are of one collection, of which the first one is answered.
function firstOfEachPath(found: readonly FoundCollection[]): readonly FoundCollection[] {
  return [...Map.groupBy(found, ({ path }) => path).values()].map(([first]) => first as FoundCollection);
}

// Whether the imported record of a path such as `/books/isbn/{isbn}` or `/books/all/{id}` is one of `/books/{id}` or `/books/old/{id}`.
function isOtherKey({ path, record, id }: FoundCollection, found: readonly FoundCollection[]): boolean {
  const above = listPathOf(path);
  const isAll = /^all$/i.test(lastSegment(path));
  const isSame = (one: FoundCollection) => one.record.pointer === record.pointer && one.path !== path;
  return (
    !id.isGiven && found.some((one) => isSame(one) && (one.path === above || (isAll && listPathOf(one.path) === above)))
  );
}

// Whether the imported records of a path such as `/teams/{id}/members/{name}` or `/chats/{id}` are those that operations of `/users` and
// `/chats/groups` create: by their schema, which has the name of the other one, unless one path is below the other.
function isCreatedElsewhere(one: FoundCollection, other: FoundCollection): boolean {
  const isCopy = isImported(one) && !one.id.isGiven && !isImported(other) && !other.isSingle;
  if (!isCopy || other.record.pointer !== one.record.pointer) return false;
  // `AdminUser` of `/users`, `SmsDevice` of `/sms`, and `Repository` of `/repos`
  const [thing, name] = [lastSegment(other.path), other.record.name ?? ""].map(lettersOf) as [string, string];
  const isNamed = [thing, singularOf(thing)].some((one) => name.includes(one)) || pluralsOf(name).includes(thing);
  const isNear = other.path.startsWith(`${one.path}/`) || one.path.startsWith(`${other.path}/`);
  return (isNamed || isNear) && parametersOf(other.path).length <= parametersOf(one.path).length;
}

// Whether another list has the imported records of a list, which it would have a second time: of a list below a record, the first one that
// is below the fewest, and of others, one above it.
function isKeptElsewhere(list: FoundCollection, lists: readonly FoundCollection[]): boolean {
  if (!isImported(list) || list.id.isGiven) return false;
  const depth = ({ path }: FoundCollection) => parametersOf(path).length;
  const similar = lists.filter((one) => isImported(one) && one.record.pointer === list.record.pointer);
  const [first] = similar.toSorted((a, b) => depth(a) - depth(b));
  return (depth(list) > 0 && first !== list) || similar.some(({ path }) => list.path.startsWith(`${path}/`));
}
