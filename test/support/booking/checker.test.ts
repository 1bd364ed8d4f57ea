// The checker of bookings finds each fault that is put into what is stored.
import t from "tap";
import { checkBookings, type Read, type Stored, type StoredRecord, type Write } from "./checker.ts";

const at = (hour: number) => ({ startsAt: `2027-01-04T0${hour}:00:00Z`, endsAt: `2027-01-04T0${hour + 1}:00:00Z` });
const visit = { id: 1, vetId: "v", petId: "p", reason: "a", ...at(8), status: "booked", price: 600 };
const line = { treatment: "x", quantity: 2, price: 300, note: "l" };
const invoice = { id: 1, appointmentId: 1, lines: [line], total: 600, paid: 100, status: "open" };
const stored = {
  clinics: [{ id: "c", name: "c" }],
  vets: [{ id: "v", name: "v", clinicId: "c" }],
  owners: [{ id: "o", name: "o", email: "o@x.org", phone: "2" }],
  pets: [{ id: "p", name: "p", ownerId: "o" }],
  appointments: [visit],
  invoices: [invoice],
  invoices_invoiceId_payments: [{ "@scope": "1", id: "y", amount: 100 }],
};
const write = (kind: Write["kind"], path: string, start: number, others: Partial<Write> = {}): Write => ({
  kind,
  path,
  start,
  end: start + 1,
  status: 200,
  sets: {},
  ...others,
});
const creations = Object.entries({ "/clinics/c": "c", "/vets/v": "v", "/pets/p": "p", "/appointments/1": "a" });
const writes: readonly Write[] = [
  ...creations.map(([path, mark]) => write("create", path, 0, { mark })),
  write("create", "/owners/o", 0, { mark: "o", sets: { phone: "1" } }),
  write("change", "/owners/o", 2, { sets: { phone: "2" } }),
  write("change", "/invoices/1/lines", 0, { mark: "l" }),
  write("create", "/invoices/1/payments/y", 0, { mark: "y" }),
];
const read = (path: string, record: StoredRecord | undefined, start: number): Read => ({
  path,
  record,
  start,
  end: start + 1,
});
const check = (changes: Stored, own: readonly Write[] = [], reads: readonly Read[] = []) =>
  checkBookings([...writes, ...own], reads, { ...stored, ...changes });

const unanswered = (phone: string) =>
  write("change", "/owners/o", 4, { sets: { phone }, status: undefined, end: Number.POSITIVE_INFINITY });

t.test("What clients did explains what is stored", async (t) => {
  t.same(check({}), []);
  const other = { ...visit, id: 2, reason: "b", ...at(9), status: "cancelled", price: 0 };
  const others = { ...invoice, id: 2, appointmentId: 2, lines: [], total: 0, paid: 0, status: "cancelled" };
  const changes = { appointments: [visit, other], invoices: [invoice, others] };
  t.same(check(changes, [write("create", "/appointments/2", 5, { mark: "b", status: undefined })]), []);
  t.same(check({ owners: [{ ...stored.owners[0], phone: "3" }] }, [unanswered("3")]), []);
  t.same(
    check({}, [unanswered("3")], [read("/owners/o", { phone: "1" }, 2), read("/owners/o", { phone: "3" }, 8)]),
    [],
  );
});

t.test("It finds what is lost, invented, stale or inconsistent", async (t) => {
  const second = { ...visit, id: 2, reason: "b", startsAt: "2027-01-04T09:30:00+01:00" };
  const created = write("create", "/appointments/2", 0, { mark: "b" });
  const faults: [RegExp, Stored, Write[]?, Read[]?][] = [
    [/The appointments 1 and 2 of the vet v overlap/, { appointments: [visit, second] }, [created]],
    [/The appointment 2 has no invoices/, { appointments: [visit, { ...second, ...at(9) }] }, [created]],
    [/The appointment 1 has 2 invoices/, { invoices: [invoice, { ...invoice, id: 2, paid: 0 }] }],
    [/The appointment 1 \(booked, 700\) has an invoice \(open, 600\)/, { appointments: [{ ...visit, price: 700 }] }],
    [/The invoice 1 has the total 500, and lines of 600/, { invoices: [{ ...invoice, total: 500 }] }],
    [/The invoice 1 has 100 of payments of 0/, { invoices_invoiceId_payments: [] }],
    [/The record y at \/invoices\/1\/payments\/y is lost/, { invoices_invoiceId_payments: [] }],
    [/The invoice 1 is paid, and 100 of 600 are paid/, { invoices: [{ ...invoice, status: "paid" }] }],
    [/The record l at \/invoices\/1\/lines is lost/, { invoices: [{ ...invoice, lines: [] }] }],
    [/The record l is stored 2 times/, { invoices: [{ ...invoice, lines: [line, line], total: 1_200 }] }],
    [/2 records have the email o@x\.org/, { owners: [...stored.owners, { id: "q", name: "q", email: "o@x.org" }] }],
    [/The record q at \/owners\/q was never created/, { owners: [...stored.owners, { id: "q", name: "q" }] }],
    [/The record p at \/pets\/p is lost/, { pets: [] }],
    [/The record 1 of appointments refers to p of pets, which is none/, { pets: [] }],
    [/The record p at \/pets\/p was deleted/, {}, [write("delete", "/pets/p", 5)]],
    [/\/owners\/o has phone = "1", which was replaced/, { owners: [{ ...stored.owners[0], phone: "1" }] }],
    [/\/owners\/o has phone = "1", which was replaced/, {}, [], [read("/owners/o", { phone: "1" }, 4)]],
    [/\/owners\/o was not found after its creation/, {}, [], [read("/owners/o", undefined, 4)]],
    [
      /\/appointments\/1 was completed or cancelled 2 times/,
      { appointments: [{ ...visit, status: "completed" }] },
      [1, 3].map((start) => write("change", "/appointments/1", start, { sets: { status: "completed" } })),
    ],
  ];
  for (const [problem, ...parts] of faults)
    t.ok(
      check(...parts).some((one) => problem.test(one)),
      `${problem}`,
    );
});
