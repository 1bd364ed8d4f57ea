// What the page at /records needs of a document: its collections, and the operations that read and change their records.
import type { Document, Operation, Part } from "../openapi/index.ts";
import {
  formatOf,
  isDescending,
  type OrderPlan,
  type PageMember,
  type Plan,
  type PlannedAction,
  type PlannedCollection,
  type PlannedOperation,
  type Resource,
  readResources,
  readSort,
  readsTotal,
  refersTo,
  versionOf,
} from "../resources/index.ts";

type Json = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, unknown>>;

const methods = { create: "POST", list: "GET", get: "GET", replace: "PUT", update: "PATCH", delete: "DELETE" } as const;

/** Describes the collections of a plan, as plain data. `own` are the operations that handlers of the application answer. */
export function describeRecords(document: Document, plan: Plan, own: readonly string[]): object {
  const resources = readResources(document);
  const references = new Map(resources.map((one) => [one.name, describeReferences(one, plan)]));
  const describe = (id: string) => describeOperation(document, resources, plan, id, own);
  const withBelow = (outer?: string): PlannedCollection[] =>
    plan.collections.filter(({ above }) => above === outer).flatMap((one) => [one, ...withBelow(one.name)]);
  const collections = withBelow().map((collection) => {
    const { name, scope, id, isSingle, parameter, above, creation, operations, views, path, recordPath } = collection;
    const resource = resources.find((one) => one.name === name) as Resource;
    // An operation of no collection can be answered by a handler, or says why it is not.
    const operationOf = (kind: keyof typeof methods) => {
      const place = kind === "create" || kind === "list" ? path : recordPath;
      const other = plan.operations.find((one) => one.method === methods[kind] && one.path === place && !one.does);
      const found = operations[kind] ?? other?.id;
      return found === undefined ? [] : [describe(found)];
    };
    const ofViews = (kind: "create" | "list") =>
      views.filter((view) => view.kind === kind).map(({ operation }) => ({ ...describe(operation), isView: true }));
    const ofRecord = (["get", "replace", "update", "delete"] as const).map((kind) => [kind, operationOf(kind)[0]]);
    return {
      name,
      label: above === undefined ? name : path.split("/").findLast((part) => /^[^{]+$/.test(part)),
      isSingle,
      above,
      id: id.path,
      parameter,
      isPutNew: creation === "replace",
      scope: scope.map((one) => ({ name: one.parameter, in: one.in })),
      record: { $ref: `#${resource.record.pointer}` },
      references: references.get(name),
      below: describeBelow(collection, plan, references),
      operations: Object.fromEntries(ofRecord),
      lists: isSingle ? [] : [...operationOf("list"), ...ofViews("list")],
      creates: isSingle ? [] : [...operationOf("create"), ...ofViews("create")],
    };
  });
  return {
    title: `${document.content.info?.title ?? ""}`,
    schemes: document.content.components?.securitySchemes ?? {},
    collections,
    schemas: collectSchemas(document, collections),
  };
}

function describeOperation(
  document: Document,
  resources: readonly Resource[],
  { operations }: Plan,
  id: string,
  own: readonly string[],
): object {
  const operation = document.operations.find((one) => one.id === id) as Operation;
  const { method, path, does, not } = operations.find((one) => one.id === id) as PlannedOperation;
  if (does === undefined && !own.includes(id)) return { why: `${method} ${path} is a 501: it ${not}.` };
  const contents = operation.part.at("requestBody")?.membersOf("content") ?? [];
  const json = contents.find(([type]) => /[/+]json\b/.test(type) && !/json-patch/.test(type));
  if (contents.length > 0 && json === undefined) return { why: `${method} ${path} takes no JSON.` };
  const resource = resources.find(({ name }) => name === does?.collection);
  const refused = does?.refused.map(({ name }) => name) ?? [];
  const schema = json?.[1].written("schema");
  return {
    method,
    path: operation.basePath + withVersion(operation),
    security: operation.security.map((schemes) => schemes.map(({ name }) => name)),
    parameters: operation.parameterParts
      .filter(({ value }) => value.in !== "cookie" && !refused.includes(value.name))
      .map(({ value }) => value),
    ...(json && { body: { type: json[0], schema: schema?.value, ...bodyOf(does) } }),
    member: does?.envelopes[does.status]?.member,
    tags: operation.parameters.headers?.names.some((name) => /^if-match$/i.test(name)) || does?.requiresMatch,
    ...(does?.list && resource && { list: describeList(does, operation, resource) }),
  };
}

// The path with the first version of the API that it can have, and with JSON as its format.
function withVersion({ path, parameterParts }: Operation): string {
  const valuesOf = (name: string | undefined) => {
    const part = parameterParts.find(({ value }) => value.in === "path" && value.name === name);
    const { default: usual, enum: values = [] } = Object(part?.at("schema")?.value) as Json;
    return [usual, ...(values as readonly unknown[])].filter((value) => value !== undefined);
  };
  const [version, format] = [versionOf(path), formatOf(path)];
  const json = valuesOf(format).find((value) => /^json$/i.test(`${value}`)) ?? "json";
  return path.replace(`{${version}}`, `${valuesOf(version)[0] ?? 1}`).replace(`{${format}}`, `${json}`);
}

const bodyOf = (does: PlannedAction | undefined) => ({ member: does?.body?.member, renamed: does?.body?.renamed });

function describeList(
  { list, headers, fieldsParameter, expansion }: PlannedAction,
  operation: Operation,
  resource: Resource,
) {
  const { envelope, parameters, order } = list as NonNullable<PlannedAction["list"]>;
  const { limit, cursor, before, offset, page, maxLimit } = parameters;
  const levels = envelope.levels.map(({ member }) => member);
  const ofBody = envelope.levels.flatMap(({ beside }, depth) =>
    findTotals(beside).map((path) => [...levels.slice(0, depth), ...path]),
  );
  return {
    levels,
    item: envelope.item.member,
    total: ofBody[0],
    totalHeader: headers.page.find(readsTotal)?.name,
    limit,
    maxLimit,
    paging: [limit, cursor, before, offset, page].filter((name) => name !== undefined),
    hidden: [order?.sort, order?.direction, fieldsParameter, expansion?.parameter].filter((name) => name !== undefined),
    orders: order ? describeOrders(order, operation, resource) : {},
  };
}

// The places of totals, beside the records.
function findTotals(members: readonly PageMember[]): string[][] {
  return members.flatMap(({ name, fact, nested = [] }) =>
    fact === "total" ? [[name]] : findTotals(nested).map((path) => [name, ...path]),
  );
}

// The query that orders by each member of a record, in both directions.
function describeOrders({ sort, direction, isEnum, descends }: OrderPlan, operation: Operation, resource: Resource) {
  const valuesOf = (name: string | undefined): readonly unknown[] => {
    const schema = operation.parameterParts
      .find(({ value }) => value.in === "query" && value.name === name)
      ?.at("schema");
    const { enum: values, type } = Object(
      (schema as Part<Json> | undefined)?.at("items")?.value ?? schema?.value,
    ) as Json;
    return (values as readonly unknown[] | undefined) ?? (type === "boolean" ? [false, true] : []);
  };
  const names = resource.record.propertyNames;
  const sorts = isEnum ? valuesOf(sort) : direction ? names : names.flatMap((name) => [name, `-${name}`]);
  const words =
    direction === undefined ? [undefined] : valuesOf(direction).length > 0 ? valuesOf(direction) : ["asc", "desc"];
  const found: Record<string, Record<string, Members>> = Object.create(null); // a member can be named __proto__
  for (const value of sort === undefined ? [] : sorts)
    for (const word of words) {
      const isReverse = word === undefined ? descends : isDescending(direction as string, word);
      const orders = readSort([`${value}`], resource, isReverse);
      const [first, ...others] = typeof orders === "object" ? orders : [];
      const name = first?.path.length === 1 && others.length === 0 ? first.path[0] : undefined;
      if (name === undefined || first === undefined) continue;
      found[name] ??= {};
      found[name][first.descending ? "descending" : "ascending"] ??= {
        [sort as string]: `${value}`,
        ...(word !== undefined && { [direction as string]: `${word}` }),
      };
    }
  return found;
}

// The members with ids of records of other collections, by name: as `x-resource` says it, or as their names do.
function describeReferences({ plan: { references = [], id }, record }: Resource, { collections }: Plan): Members {
  const targets = collections.filter(({ scope, isSingle, parameter }) => scope.length === 0 && !isSingle && parameter);
  const named = record.propertyNames.flatMap((name) => {
    const target = name === id.path[0] ? undefined : targets.find((one) => refersTo(name, one));
    return target ? [[name, target.name]] : [];
  });
  const declared = references.map(({ property, to }) => [property, to]);
  return Object.fromEntries([...named, ...declared]);
}

// The lists of what is below a record, or refers to it, and the parameters that have its id.
function describeBelow(
  { name }: PlannedCollection,
  { collections }: Plan,
  references: ReadonlyMap<string, Members>,
): readonly Members[] {
  const below = collections.filter(({ above }) => above === name).map((one) => ({ name: one.name }));
  const referring = collections.flatMap(({ name: other, scope, filters, views }) => {
    const refersHere = (member = "") => references.get(other)?.[member] === name;
    const filter = filters.find(({ property }) => refersHere(property))?.name;
    const isView = ({ kind, within }: (typeof views)[number]) =>
      kind === "list" && within.length === 1 && refersHere(within[0]?.path[0]);
    const parameter = filter ?? views.find(isView)?.within[0]?.parameter;
    return parameter === undefined || scope.length > 0 ? [] : [{ name: other, parameter }];
  });
  return [...below, ...referring];
}

// The schemas to which references lead, at any depth, by reference.
function collectSchemas({ root }: Document, described: unknown): Members {
  const found: Record<string, unknown> = Object.create(null);
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Json;
    if (typeof $ref === "string" && $ref.startsWith("#/") && !Object.hasOwn(found, $ref)) {
      try {
        found[$ref] = root.find(decodeURIComponent($ref.slice(1))).value;
      } catch {
        found[$ref] = {}; // leads to nothing, which is reported when the document is checked
      }
      visit(found[$ref]);
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(described);
  return found;
}
