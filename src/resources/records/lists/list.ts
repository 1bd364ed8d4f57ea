// The response of a list: a page of its records, and what the document declares about it.
import { HttpError, InvalidRequest } from "../../../http/index.ts";
import { isObject, parseJson } from "../../../lib/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import {
  compileOrder,
  isOrdered,
  type Order,
  type Page,
  type PagePosition,
  scopeFilter,
} from "../../../store/index.ts";
import { readsTotal, writePageMembers } from "../../recognition/lists/page-facts.ts";
import type { PageParameters } from "../../recognition/lists/page-parameters.ts";
import type { ListPlan, PlannedAction } from "../../recognition/plan.ts";
import { membersOf } from "../../record/member-values.ts";
import type { Resource } from "../../record/resource.ts";
import type { CollectionAccess } from "../collection-access.ts";
import { notUnderstood } from "../requests/request.ts";
import { writePage } from "../responses/write-body.ts";
import { isWildcard, readOrder, readWhere } from "./list-query.ts";
import {
  findNeighbours,
  findPageLinks,
  type ListQuery,
  type PageLinks,
  readCursor,
  type SelectedPage,
  toLinkHeader,
  urlWith,
} from "./page-links.ts";

const defaultLimit = 100; // records, if the parameter for their number has no default
const maxRecords = 10_000; // in a response
const maxBytes = 16_777_216; // of a page that can't be short

/** An action that returns a list. */
export type ListAction = PlannedAction & { readonly list: ListPlan };

type Query = Readonly<Record<string, unknown>>;

/** Responds with the page that a request selects. Throws an HttpError if it can't. */
export async function listPage(collection: CollectionAccess, action: ListAction, call: UntypedCall) {
  const { list, headers, status, fieldsParameter } = action;
  await collection.check(call);
  const { records, resource } = collection;
  const { envelope, parameters } = list;
  const { page: pageHeaders, linksPaths } = headers;
  const { origin } = call.request;
  // A request can select more than what the list shows.
  const { only, ...item } = envelope.item;
  const hasFields = fieldsParameter !== undefined && (call.query as Query)[fieldsParameter] !== undefined;
  const shown = hasFields && only !== undefined && !item.isClosed ? { ...envelope, item } : envelope;
  const selection = await selectPage(collection, list, call);
  const { limit, offset, position, filter, where, orderBy, selected, isWhole: isMeantWhole } = selection;
  const scope = resource.collection.isScoped ? { [scopeFilter.name]: collection.place.scopeOf(call) } : {};
  const all = { ...filter, ...scope };
  // With a cursor, a page can be short: the next one begins behind it. With a number, the records between them would be lost.
  const canBeShort = parameters.cursor !== undefined && offset === undefined;
  const size = canBeShort ? {} : { maxBytes };
  const paged = { limit, position, ...size, ...(offset !== undefined && { offset }) };
  const page = await records.list({ ...paged, filter: all, where, orderBy });
  if (page.more && !canBeShort) requireWhole(page, parameters, isMeantWhole);
  if (page.last === undefined) await collection.requireImported();
  const url = collection.place.urlOfCall(call);
  const count = () => (JSON.parse(page.records.text) as unknown[]).length;
  const ofTotal = pageHeaders.filter(readsTotal);
  const needsTotal =
    envelope.levels.some(({ beside }) => beside.some(readsTotal)) ||
    ofTotal.some(({ isRequired }) => isRequired || limit === 0);
  // An optional header has the total if it is known without a query.
  const isWhole = ofTotal.length > 0 && !page.more && position === undefined && (offset ?? 0) === 0;
  const repeated = repeatedQuery(call);
  const numbered = numberPages(url, repeated, parameters, limit);
  const around = { filter: selected, position, page };
  const links = linksOf(url, numbered, { query: repeated, parameters, limit, offset, resource, selected: around });
  const facts = {
    total: needsTotal ? await records.count(all, where) : isWhole ? BigInt(count()) : undefined,
    // Most lists do not respond with it.
    get count() {
      return count();
    },
    more: page.more,
    origin,
    get links() {
      const self = urlWith(url, repeated);
      const at = (number: number) => numbered?.((number - parameters.firstPage) * limit);
      return { self, path: url, first: links.first ?? self, next: links.next, previous: links.prev, at };
    },
    get nextCursor() {
      return valueIn(links.next, parameters.cursor);
    },
    limit,
    maxLimit: parameters.maxLimit ?? maxRecords,
    offset: offset ?? 0,
    page: Math.floor((offset ?? 0) / Math.max(limit, 1)) + parameters.firstPage,
    firstPage: parameters.firstPage,
    firstOffset: parameters.firstOffset,
    hasPrevious: links.prev !== undefined || (offset ?? 0) > 0,
  };
  const sent = pageHeaders.filter((header) => facts.total !== undefined || !ofTotal.includes(header));
  const values = writePageMembers(sent, facts);
  // Clients such as Okta's follow no path. HTTP/1.0 can have no Host.
  const link = toLinkHeader(links, linksPaths || !URL.canParse(origin) ? "" : origin);
  return {
    status,
    body: writePage(shown, await collection.response.shape(call, page.records), facts),
    headers: { Link: link, ...values },
  };
}

// Throws an HttpError if no other page has the records that this one has not.
function requireWhole({ isShort }: Page<unknown>, { limit, allLimit }: PageParameters, isWhole: boolean): void {
  if (!isWhole && !isShort) return;
  const message = `The page has more than ${maxBytes / 1_048_576} MiB. Send a smaller ${limit}.`;
  if (isShort && limit !== undefined) throw new InvalidRequest([{ location: "query", name: limit, message }]);
  const missing = `and no parameter that selects ${limit === undefined ? "some of them" : "the others"}`;
  const advice = allLimit === undefined ? missing : `send a number of them as ${limit}`;
  throw new HttpError(
    "not_implemented",
    `The list has more than ${maxRecords} records or ${maxBytes / 1_048_576} MiB, ${advice}.`,
  );
}

// The parameters of a request, as links repeat them: lists and objects as they were sent.
function repeatedQuery({ query, request }: UntypedCall): Query {
  const plain = Object.entries(query as Query).filter(([, value]) => typeof value !== "object");
  if (plain.length === Object.keys(query as Query).length) return query as Query;
  const { searchParams } = new URL(request.url, "http://localhost"); // HTTP/1.0 can have no Host
  const others = [...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]);
  return { ...Object.fromEntries(others), ...Object.fromEntries(plain) };
}

// Reads which page of which records a request selects. Throws an HttpError if a cursor is not valid.
async function selectPage(collection: CollectionAccess, list: ListPlan, call: UntypedCall) {
  const { parameters, conditions, order } = list;
  const { resource, place } = collection;
  const query = call.query as Query;
  const { before, cursor, ...rest } = readSelection(query, parameters);
  if (before !== undefined && cursor !== undefined)
    throw new InvalidRequest([
      {
        location: "query",
        name: `${parameters.before}`,
        message: `The parameters ${parameters.cursor} and ${parameters.before} can't be used together.`,
      },
    ]);
  const isSelected = (name: string) => !isWildcard(list, name, query);
  const names = resource.collection.filters.map(({ name }) => name);
  const filter = { ...definedOf(query, names.filter(isSelected)), ...place.withinOf(call) };
  const where = readWhere(list, resource, query);
  const orderBy = readOrder(list, resource, query);
  // A cursor is valid only for the same filters, conditions and order.
  const others = [...names, ...conditions.map(({ parameter }) => parameter), order?.sort, order?.direction];
  const sent = Object.entries(query).filter(([name, value]) => value !== undefined && others.includes(name));
  const selected = { ...filter, ...Object.fromEntries(sent) };
  const page = { ...selected, limit: rest.limit };
  const position = await findPosition(collection, call, page, orderBy, cursor ?? before, before !== undefined);
  if (position === null)
    throw new HttpError(
      { code: "invalid_cursor", status: 400 },
      "The cursor is not valid for this list and filter. Use one that a page of the same list has returned, with the same filter, or omit it.",
    );
  return { ...rest, position, filter, where, orderBy, selected };
}

// A cursor of the server, or the id of a record.
async function findPosition(
  collection: CollectionAccess,
  call: UntypedCall,
  filter: ListQuery,
  orderBy: readonly Order[],
  cursor: unknown,
  isBefore: boolean,
): Promise<PagePosition | undefined | null> {
  if (cursor === undefined) return undefined;
  const isInOrder = isOrdered(orderBy);
  const own = readCursor({ ...filter, cursor: `${cursor}` }, isInOrder);
  if (own !== null) return own;
  const address = collection.place.addressOf(call, `${cursor}`);
  const number = await collection.records.position(address);
  const record = isInOrder ? await collection.records.find(address) : undefined;
  if (number === undefined || (isInOrder && record === undefined)) return null;
  const place = record ? compileOrder(orderBy)(membersOf(record), number) : number;
  return isBefore ? { before: place } : { after: place };
}

function readSelection(
  query: Query,
  {
    limit: limitName,
    offset: offsetName,
    page,
    cursor,
    before,
    firstPage,
    firstOffset,
    anyLimit,
    allLimit,
    minLimit = 0,
    usualLimit = defaultLimit,
    maxLimit = maxRecords,
  }: PageParameters,
) {
  const read = (name: string | undefined) => (name === undefined ? undefined : query[name]);
  const readInteger = (name: string | undefined, minimum: number) => {
    const value = read(name);
    if (name === undefined || value === undefined) return undefined;
    const number = /^\d+$/.test(`${value}`) ? Number(value) : Number.NaN;
    if (number >= minimum && Number.isSafeInteger(number)) return number;
    const message = `The parameter ${name} must be an integer from ${minimum} to ${Number.MAX_SAFE_INTEGER}.`;
    throw new InvalidRequest([{ location: "query", name, message }]);
  };
  const wantedLimit = Number(read(limitName));
  const isAll = wantedLimit === allLimit;
  const isAny = isAll || wantedLimit === anyLimit;
  if (!isAny && wantedLimit < 0 && wantedLimit >= minLimit)
    throw notUnderstood(`parameter ${limitName}=${wantedLimit}`);
  const sent = isAny ? undefined : readInteger(limitName, 0);
  // Without a way to the next page, all records are meant.
  const hasNext = [offsetName, page, cursor].some((name) => name !== undefined);
  const isWhole = sent === undefined && (isAll || !hasNext);
  const wanted = Math.min(sent ?? usualLimit, maxLimit);
  const limit = isWhole || limitName === undefined ? maxRecords : Math.min(wanted, maxRecords); // a page can have fewer records
  const number = readInteger(page, firstPage);
  const first = readInteger(offsetName, firstOffset);
  const ofPage = number === undefined ? undefined : (number - firstPage) * limit;
  const skipped = first === undefined ? ofPage : first - firstOffset;
  const offset = skipped === undefined ? undefined : Math.min(skipped, Number.MAX_SAFE_INTEGER);
  return { limit, offset, cursor: read(cursor), before: read(before), isWhole };
}

interface Selected {
  readonly query: Query;
  readonly parameters: PageParameters;
  readonly limit: number;
  readonly offset: number | undefined;
  readonly resource: Resource;
  readonly selected: SelectedPage;
}

type UrlOfPage = (skipped: number) => string;

// Returns a function that creates the URL of a page by the number of records before it; undefined if no parameter selects pages so.
function numberPages(
  url: string,
  query: Query,
  { offset, page, firstPage, firstOffset }: PageParameters,
  limit: number,
): UrlOfPage | undefined {
  const name = offset ?? page;
  if (name === undefined) return undefined;
  return (skipped) =>
    urlWith(url, {
      ...query,
      [name]: offset ? skipped + firstOffset : Math.floor(skipped / Math.max(limit, 1)) + firstPage,
    });
}

// By cursor if the list has one, or else by offset or number.
function linksOf(
  url: string,
  at: UrlOfPage | undefined,
  { query, parameters, limit, offset = 0, resource, selected }: Selected,
): PageLinks {
  const { cursor: cursorName, before, isIdCursor } = parameters;
  if (cursorName !== undefined) {
    const none = { [cursorName]: undefined, ...(before !== undefined && { [before]: undefined }) };
    if (!isIdCursor) return findPageLinks(urlWith(url, { ...query, ...none }), { ...selected, name: cursorName });
    const ids = (parseJson(selected.page.records.text) as unknown[]).map((record) => resource.idIn(record));
    const { next, prev } = findNeighbours(selected);
    return {
      first: selected.position && urlWith(url, { ...query, ...none }),
      prev: prev && before !== undefined ? urlWith(url, { ...query, ...none, [before]: ids[0] }) : undefined,
      next: next ? urlWith(url, { ...query, ...none, [cursorName]: ids.at(-1) }) : undefined,
    };
  }
  if (at === undefined) return {};
  return {
    first: offset > 0 ? at(0) : undefined,
    prev: offset > 0 ? at(Math.max(0, offset - limit)) : undefined,
    next: selected.page.more && limit > 0 ? at(offset + limit) : undefined,
  };
}

// The value of a parameter in a URL, which can be relative.
function valueIn(url: string | undefined, name: string | undefined): string | undefined {
  const isMissing = url === undefined || name === undefined;
  return isMissing ? undefined : (new URL(url, "http://localhost").searchParams.get(name) ?? undefined);
}

// The filters of these names that have one value.
function definedOf(values: Query, names: readonly string[]): Query {
  const filters = names.flatMap((name) => {
    const [value, ...others] = Object.hasOwn(values, name) ? [values[name]].flat() : [];
    return value === undefined || isObject(value) || others.length > 0 ? [] : [[name, value] as const];
  });
  return Object.fromEntries(filters);
}
