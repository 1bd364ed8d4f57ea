// Operations of a collection at other paths: that of another record, such as `/companies/{companyId}/contacts` of the collection `/contacts`,
// whose parameter is a member of each contact, and searches, such as `/pets/findByStatus`. They list the records that have the value, and
// create records that have it.
import type { Document, Operation } from "../../../openapi/index.ts";
import { meaningOf } from "../../names/meaning.ts";
import { loginNames } from "../../names/member-names.ts";
import { searchPaths } from "../../names/operation-names.ts";
import type { ViewParameter } from "../../record/collection-plan.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import { itemSchemas, valueType } from "../../record/schema-nodes.ts";
import { bodySchema, readSchema, successSchema } from "../bodies-and-parameters.ts";
import { isRecordPath, lastSegment, listPathOf, normalizePath, parametersOf } from "../paths.ts";
import { readOperationHint } from "../x-resource.ts";
import { findScope } from "./parents.ts";
import type { FoundCollection, View } from "./plan-collection.ts";

/** Returns collections with their views. One that has no operation of its own that creates or lists records has that of a view. */
export function addViews(document: Document, found: readonly FoundCollection[]): readonly FoundCollection[] {
  const taken = new Set(found.flatMap(({ operations }) => Object.values(operations)));
  const paths = new Set(found.map(({ path }) => path));
  const free = document.operations.filter(
    (one) => !taken.has(one) && !isRecordPath(one.path) && readOperationHint(one) !== false,
  );
  return found.map((collection) => {
    const { operations, isSingle, path } = collection;
    const name = lastSegment(path);
    const isSearch = (one: Operation) => listPathOf(one.path) === path && meaningOf(searchPaths, lastSegment(one.path));
    const isSimilar = (one: Operation) => lastSegment(one.path) === name || isSearch(one);
    const similar = free.filter((one) => isSimilar(one) && !paths.has(normalizePath(one.path)));
    const views = isSingle ? [] : similar.flatMap((operation) => findView(operation, collection) ?? []);
    if (views.length === 0) return collection;
    const of = (kind: View["kind"]) => views.find((view) => view.kind === kind)?.operation;
    const create = operations.create ?? of("create");
    const body = create && create !== operations.create ? bodySchema(create) : undefined;
    return {
      ...collection,
      views,
      operations: { ...operations, create, list: operations.list ?? of("list") },
      ...(body && { newRecord: RecordSchema.of(document, body) }),
    };
  });
}

function findView(operation: Operation, collection: FoundCollection): View | undefined {
  const { record, path, id } = collection;
  const scope = parametersOf(path);
  const own = parametersOf(operation.path);
  const others = own.filter((name) => !scope.includes(name));
  const isSearch = operation.method === "GET" && listPathOf(operation.path) === path;
  if ((others.length === 0 && !isSearch) || !scope.every((name) => own.includes(name))) return undefined;
  const kind = operation.method === "POST" ? "create" : operation.method === "GET" ? "list" : undefined;
  if (kind === undefined || !shows(operation, kind, collection)) return undefined;
  const members = findScope(operation.path, record, id.path);
  const within = others.flatMap((parameter): ViewParameter[] => {
    const member = members.find((one) => one.parameter === parameter)?.member;
    const part = operation.parameterParts.find(({ value }) => value.in === "path" && value.name === parameter);
    const schema = part?.written("schema");
    const sent = schema && valueType(RecordSchema.of(record.document, schema).parts);
    if (member === undefined || sent === undefined || loginNames.test(member)) return [];
    const inner = ["id", "gid", "uuid"].find((one) => valueType(record.at([member, one])) === sent);
    if (valueType(record.property(member)) === sent) return [{ parameter, type: sent, path: [member] }];
    return kind === "list" && inner !== undefined ? [{ parameter, type: sent, path: [member, inner] }] : [];
  });
  return within.length === others.length ? { kind, operation, within } : undefined;
}

// Whether an operation responds with records of a collection, bare or as a member, or a list with some of their members.
function shows(operation: Operation, kind: View["kind"], { record, id }: FoundCollection): boolean {
  const [idName] = id.path;
  const part = kind === "create" ? successSchema(operation) : readSchema(operation);
  if (part === undefined) return false;
  const schema = RecordSchema.of(record.document, part);
  const nodes = [schema.parts, ...schema.propertyNames.map((name) => schema.property(name))];
  const shown = kind === "create" ? nodes.map(([node]) => node) : nodes.map((one) => itemSchemas(one)?.[0]);
  return shown.some((node) => {
    const one = node && RecordSchema.of(record.document, node);
    const isSummary = kind === "list" && one !== undefined && one.propertyNames.includes(`${idName}`);
    const isPart = isSummary && one.propertyNames.every((name) => record.propertyNames.includes(name));
    return one?.pointer === record.pointer || isPart;
  });
}
