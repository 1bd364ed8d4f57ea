// The response of a list: a page of its records, and what the document declares about it.
import { HttpError } from "../../http/index.ts";
import type { UntypedCall } from "../../openapi/application.ts";
import { scopeFilter } from "../../store/index.ts";
import type { PageParameters, StandardOperation } from "../model/index.ts";
import type { CollectionAccess } from "./collection-access.ts";
import { findPageLinks, type PageLinks, readCursor, type SelectedPage, toLinkHeader } from "./pages.ts";

const defaultLimit = 100; // records, if the parameter for their number has no default
const maxRecords = 10_000; // in a response of a list without such a parameter

type Query = Readonly<Record<string, unknown>>;

/** Responds with the page that a request selects. Throws an HttpError if it can't. */
export async function listPage(
  collection: CollectionAccess,
  { frame, parameters, wildcards }: NonNullable<StandardOperation["list"]>,
  call: UntypedCall,
) {
  await collection.check(call);
  const { records, resource, status } = collection;
  const query = call.query as Query;
  const { limit, offset, cursor } = readSelection(query, parameters);
  const isSelected = (name: string) => !(wildcards.has(name) && wildcards.get(name) === query[name]);
  const filter = definedOf(query, resource.collection.filters.map(({ name }) => name).filter(isSelected));
  const position = readCursor({ limit, ...(cursor !== undefined && { cursor }), ...filter });
  if (position === null)
    throw new HttpError(
      { code: "invalid_cursor", status: 400 },
      "The cursor is not valid for this list and filter. Use a cursor from the Link header of the same list, with the same filter, or omit it.",
    );
  const scope = resource.collection.isScoped ? { [scopeFilter.name]: collection.scopeOf(call) } : {};
  const all = { ...filter, ...scope };
  const page = await records.list({ limit, position, filter: all, ...(offset !== undefined && { offset }) });
  if (parameters.limit === undefined && page.more)
    throw new HttpError(
      "not_implemented",
      `The list has more than ${maxRecords} records, and no parameter that selects some of them.`,
    );
  const url = collection.listUrlOf(call);
  const links = linksOf(url, { query, parameters, limit, offset, selected: { filter, position, page } });
  const facts = {
    total: frame.needsTotal ? await records.count(all) : undefined,
    // Most lists do not respond with it.
    get count() {
      return (JSON.parse(page.records.text) as unknown[]).length;
    },
    more: page.more,
    links: { self: urlWith(url, query, {}), next: links.next, previous: links.prev },
    limit,
    offset: offset ?? 0,
    page: Math.floor((offset ?? 0) / limit) + parameters.firstPage,
  };
  return { status, body: frame.write(page.records, facts), headers: { Link: toLinkHeader(links) } };
}

function readSelection(
  query: Query,
  { limit: limitName, offset: offsetName, page, cursor, firstPage }: PageParameters,
) {
  const read = (name: string | undefined) => (name === undefined ? undefined : query[name]);
  const limit = Number(read(limitName) ?? (limitName === undefined ? maxRecords : defaultLimit));
  const number = read(page);
  const skipped = read(offsetName) ?? (number === undefined ? undefined : (Number(number) - firstPage) * limit);
  const offset = skipped === undefined ? undefined : Math.max(0, Number(skipped));
  return { limit, offset, cursor: read(cursor) as string | undefined };
}

interface Selected {
  readonly query: Query;
  readonly parameters: PageParameters;
  readonly limit: number;
  readonly offset: number | undefined;
  readonly selected: SelectedPage;
}

// By cursor if the list has one, or else by offset or number.
function linksOf(url: string, { query, parameters, limit, offset = 0, selected }: Selected): PageLinks {
  const { cursor: cursorName, offset: offsetName, page: pageName, firstPage } = parameters;
  if (cursorName !== undefined)
    return findPageLinks(urlWith(url, query, { [cursorName]: undefined }), { ...selected, name: cursorName });
  const name = offsetName ?? pageName;
  if (name === undefined) return {};
  const at = (skipped: number) =>
    urlWith(url, query, { [name]: offsetName ? skipped : Math.floor(skipped / limit) + firstPage });
  return {
    first: offset > 0 ? at(0) : undefined,
    prev: offset > 0 ? at(Math.max(0, offset - limit)) : undefined,
    next: selected.page.more ? at(offset + limit) : undefined,
  };
}

function urlWith(url: string, query: Query, changed: Query): string {
  const values = definedOf({ ...query, ...changed }) as Record<string, string>;
  const search = new URLSearchParams(values).toString();
  return search === "" ? url : `${url}?${search}`;
}

// The members that have a value, of these names, or all.
function definedOf(values: Query, names: readonly string[] = Object.keys(values)): Query {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
