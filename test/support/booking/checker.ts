// What is true of the bookings of examples/booking, whatever clients do and whichever process is killed.
import { isDeepStrictEqual } from "node:util";

/** A record, as an export has it. Payments have the id of their invoice as `@scope`. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** All records, by the names of their collections. */
export type Stored = Readonly<Record<string, readonly StoredRecord[]>>;

/** A request that writes, with what is known of its effect. */
export interface Write {
  readonly kind: "create" | "change" | "delete";
  /** The path of the record. Undefined for one that is created without a response. */
  readonly path: string | undefined;
  /** Of one creation only: a member of the record. */
  readonly mark?: string | undefined;
  /** The path of the record with which it is deleted. */
  readonly owner?: string | undefined;
  /** The members that it sets. */
  readonly sets: StoredRecord;
  readonly start: number;
  /** Infinity without a response. */
  readonly end: number;
  /** Undefined without a response that says whether the request had an effect. */
  readonly status: number | undefined;
}

/** A request for one record, and its response: undefined if there is none. */
export interface Read {
  readonly path: string;
  readonly record: StoredRecord | undefined;
  readonly start: number;
  readonly end: number;
}

/** Returns what is wrong, a sentence each: with what is stored at the end, and with what clients have read. */
export function checkBookings(writes: readonly Write[], reads: readonly Read[], stored: Stored): string[] {
  return [
    ...findOverlaps(stored.appointments ?? []),
    ...checkInvoices(stored),
    ...checkReferences(stored),
    ...findDuplicates(stored.owners ?? [], "email"),
    ...checkCreations(writes, stored),
    ...checkValues(writes, [...reads, ...readsOf(stored)]),
    ...checkActions(writes),
  ];
}

/** Returns the appointments of a vet that overlap. */
export function findOverlaps(appointments: readonly StoredRecord[]): string[] {
  const kept = appointments.filter(({ status }) => status !== "cancelled");
  return [...Map.groupBy(kept, ({ vetId }) => vetId)].flatMap(([vet, ofVet]) => {
    let last: StoredRecord | undefined; // the one that ends last
    return ofVet
      .toSorted((a, b) => timeOf(a.startsAt) - timeOf(b.startsAt))
      .flatMap((one) => {
        const before = last;
        if (before === undefined || timeOf(one.endsAt) > timeOf(before.endsAt)) last = one;
        if (before === undefined || timeOf(one.startsAt) >= timeOf(before.endsAt)) return [];
        return [`The appointments ${before.id} and ${one.id} of the vet ${vet} overlap.`];
      });
  });
}

const timeOf = (text: unknown) => Date.parse(`${text}`);

/** Returns what an invoice contradicts itself in. */
export function checkInvoice({ id, lines, total, paid, status }: StoredRecord): string[] {
  const sum = (lines as { quantity: number; price: number }[]).reduce((all, one) => all + one.quantity * one.price, 0);
  const isPaid = sum > 0 && paid === sum;
  return [
    ...(total === sum ? [] : [`The invoice ${id} has the total ${total}, and lines of ${sum}.`]),
    ...(Number(paid) > sum ? [`Of the invoice ${id} over ${sum}, ${paid} are paid.`] : []),
    ...(isPaid === (status === "paid") ? [] : [`The invoice ${id} is ${status}, and ${paid} of ${sum} are paid.`]),
  ];
}

function checkInvoices({ invoices = [], appointments = [], invoices_invoiceId_payments: payments = [] }: Stored) {
  const byAppointment = Map.groupBy(invoices, ({ appointmentId }) => appointmentId);
  const byInvoice = Map.groupBy(payments, (one) => `${one["@scope"]}`);
  return [
    ...appointments.flatMap(({ id, price, status }) => {
      const [invoice, ...others] = byAppointment.get(id) ?? [];
      if (invoice === undefined || others.length > 0)
        return [`The appointment ${id} has ${invoice ? others.length + 1 : "no"} invoices.`];
      if (price === invoice.total && (status === "cancelled") === (invoice.status === "cancelled")) return [];
      return [`The appointment ${id} (${status}, ${price}) has an invoice (${invoice.status}, ${invoice.total}).`];
    }),
    ...invoices.flatMap((invoice) => {
      const sum = (byInvoice.get(`${invoice.id}`) ?? []).reduce((all, { amount }) => all + Number(amount), 0);
      const found =
        sum === invoice.paid ? [] : [`The invoice ${invoice.id} has ${invoice.paid} of payments of ${sum}.`];
      return [...found, ...checkInvoice(invoice)];
    }),
  ];
}

const references = [
  ["vets", "clinicId", "clinics"],
  ["pets", "ownerId", "owners"],
  ["appointments", "vetId", "vets"],
  ["appointments", "petId", "pets"],
  ["invoices", "appointmentId", "appointments"],
  ["invoices_invoiceId_payments", "@scope", "invoices"],
] as const;

function checkReferences(stored: Stored): string[] {
  return references.flatMap(([from, member, to]) => {
    const ids = new Set((stored[to] ?? []).map(({ id }) => `${id}`));
    const lost = (stored[from] ?? []).filter((record) => !ids.has(`${record[member]}`));
    return lost.map(
      (record) => `The record ${record.id} of ${from} refers to ${record[member]} of ${to}, which is none.`,
    );
  });
}

function findDuplicates(records: readonly StoredRecord[], member: string): string[] {
  return [...Map.groupBy(records, (record) => record[member])].flatMap(([value, { length }]) =>
    length === 1 ? [] : [`${length} records have the ${member} ${value}.`],
  );
}

/** The mark of a record: of the members of examples/booking, one that only its creation sets. */
const markOf: Readonly<Record<string, (record: StoredRecord) => unknown>> = {
  clinics: ({ name }) => name,
  vets: ({ name }) => name,
  owners: ({ name }) => name,
  pets: ({ name }) => name,
  appointments: ({ reason }) => `${reason}`.split(" ")[0],
  lines: ({ note }) => note,
  invoices_invoiceId_payments: ({ id }) => id,
};

const isRefused = ({ status }: Write) => status !== undefined && status >= 400;
const isAcknowledged = ({ status }: Write) => status !== undefined && status < 300;

/** Returns the records that are lost, invented or stored twice, and those that exist although they were deleted. */
function checkCreations(writes: readonly Write[], stored: Stored): string[] {
  const lines = (stored.invoices ?? []).flatMap((invoice) => invoice.lines as StoredRecord[]);
  const found = Object.entries(markOf).flatMap(
    ([collection, mark]) =>
      ({ ...stored, lines })[collection]?.map((record) => [mark(record), pathOf(collection, record)] as const) ?? [],
  );
  const paths = Map.groupBy(found, ([mark]) => mark);
  const creations = writes.filter(({ mark }) => mark !== undefined);
  const possible = new Set(creations.filter((one) => !isRefused(one)).map(({ mark }) => mark));
  const deletions = Map.groupBy(
    writes.filter((one) => one.kind === "delete" && !isRefused(one)),
    ({ path }) => path,
  );
  const isDeleted = (path: string | undefined) => path !== undefined && deletions.has(path);
  return [
    ...found.flatMap(([mark, path]) => {
      if (!possible.has(`${mark}`)) return [`The record ${mark} at ${path} was never created.`];
      const isGone = deletions.get(path)?.some(isAcknowledged);
      return isGone ? [`The record ${mark} at ${path} was deleted.`] : [];
    }),
    ...[...paths].flatMap(([mark, { length }]) =>
      length === 1 ? [] : [`The record ${mark} is stored ${length} times.`],
    ),
    ...creations.filter(isAcknowledged).flatMap(({ mark, path, owner }) => {
      const [one] = paths.get(mark) ?? [];
      if (one ? (one[1] ?? path) === path : isDeleted(path) || isDeleted(owner)) return [];
      return [`The record ${mark} at ${path} is lost${one ? `, and one with its mark at ${one[1]}` : ""}.`];
    }),
  ];
}

// Lines have no path.
function pathOf(collection: string, record: StoredRecord): string | undefined {
  if (collection === "lines") return undefined;
  const id = record.id ?? record.code;
  return record["@scope"] === undefined ? `/${collection}/${id}` : `/invoices/${record["@scope"]}/payments/${id}`;
}

// What is stored at the end, as if it had been read.
function readsOf(stored: Stored): Read[] {
  return Object.entries(stored).flatMap(([collection, records]) =>
    records.map((record) => ({
      path: `${pathOf(collection, record)}`,
      record,
      start: Number.POSITIVE_INFINITY,
      end: Number.POSITIVE_INFINITY,
    })),
  );
}

/** Returns the reads that have the value of no write, or one that another write had replaced before. */
function checkValues(writes: readonly Write[], reads: readonly Read[]): string[] {
  const possible = Map.groupBy(
    writes.filter((one) => !isRefused(one)),
    ({ path }) => path,
  );
  return reads.flatMap(({ path, record, start, end }) => {
    const ofPath = (possible.get(path) ?? []).filter((write) => write.start <= end);
    if (record === undefined)
      return ofPath.some((one) => one.kind === "create" && isAcknowledged(one) && one.end < start) &&
        !ofPath.some(({ kind }) => kind === "delete")
        ? [`${path} was not found after its creation.`]
        : [];
    const members = new Set(ofPath.flatMap(({ sets }) => Object.keys(sets)));
    return [...members].flatMap((member) => {
      const sets = (one: Write) => Object.hasOwn(one.sets, member);
      const hasValue = (one: Write) => isDeepStrictEqual(one.sets[member], record[member]);
      const isPossible = ofPath.some((one) => {
        if (!sets(one) || !hasValue(one)) return false;
        return !ofPath.some(
          (other) => sets(other) && isAcknowledged(other) && other.start > one.end && other.end < start,
        );
      });
      return isPossible
        ? []
        : [`${path} has ${member} = ${JSON.stringify(record[member])}, which was replaced or never set.`];
    });
  });
}

/** Returns the appointments that were completed or cancelled more than once. */
function checkActions(writes: readonly Write[]): string[] {
  const ends = writes.filter(
    (one) => one.kind === "change" && isAcknowledged(one) && Object.hasOwn(one.sets, "status"),
  );
  return [...Map.groupBy(ends, ({ path }) => path)].flatMap(([path, { length }]) =>
    length === 1 ? [] : [`${path} was completed or cancelled ${length} times.`],
  );
}
