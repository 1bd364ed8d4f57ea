// What no rule can decide about bookings: that no two appointments of a vet overlap, and what changes together with their invoices. All
// other operations are answered from records:
// `npx openapi-server serve examples/booking/booking.yaml --handlers examples/booking/handlers.ts`
import { type Handler, HttpError } from "../../src/index.ts"; // in a project: "@petstore/openapi-server"
import type { Collections, ResourceStore } from "../../src/resources/store.ts"; // "@petstore/openapi-server/store"
import type { collections, components, operations } from "./operations.ts"; // openapi-server generate booking.yaml --output operations.ts

type Schemas = components["schemas"];
type Appointment = Schemas["Appointment"];
type Invoice = Schemas["Invoice"];
type Period = Schemas["Period"];
type Records = Collections<collections>["records"];

/** Runs each call of a handler in one transaction, which is rolled back if the handler throws. */
function inTransaction<Id extends keyof operations>(
  handler: Handler<operations, Id, Collections<collections>>,
): Handler<operations, Id, ResourceStore<collections>> {
  return (call, store) => store.transaction((transaction) => handler(call, transaction));
}

/** An appointment is in the working hours of its vet, overlaps no other one, and has an invoice from the beginning. */
export const bookAppointment = inTransaction<"bookAppointment">(async ({ body }, { records }) => {
  await requireFree(records, body.vetId, body);
  const appointment = await records("appointments").create({ ...body, status: "booked", price: 0 });
  await records("invoices").create({ appointmentId: appointment.id, lines: [], total: 0, paid: 0, status: "open" });
  return { status: 201, body: appointment, headers: { Location: `/appointments/${appointment.id}` } };
});

/** The time of an appointment changes as if it was booked again. */
export const rescheduleAppointment = inTransaction<"rescheduleAppointment">(async ({ params, body }, { records }) => {
  const appointment = await findBooked(records, params.appointmentId);
  await requireFree(records, appointment.vetId, body, appointment.id);
  return { status: 200, body: await changeAppointment(records, appointment.id, body) };
});

/** An appointment is cancelled together with its invoice, unless something is paid. */
export const cancelAppointment = inTransaction<"cancelAppointment">(async ({ params }, { records }) => {
  const { id } = await findBooked(records, params.appointmentId);
  const [invoice] = (await records("invoices").list({ limit: 1, where: { appointmentId: id } })).records;
  if (invoice === undefined) throw new Error(`The appointment ${id} has no invoice.`);
  if (invoice.paid > 0) throw conflict("already_paid", `The appointment ${id} is paid, at least in part.`);
  await changeInvoice(records, invoice.id, { status: "cancelled" });
  return { status: 200, body: await changeAppointment(records, id, { status: "cancelled" }) };
});

/** A line has the price of its treatment as it is now. The invoice has the sum of its lines, and so has the appointment. */
export const addInvoiceLine = inTransaction<"addInvoiceLine">(async ({ params, body }, { records }) => {
  const invoice = await findOpen(records, params.invoiceId);
  const treatment = await records("treatments").find(body.treatment);
  if (treatment === undefined) throw unknown("treatment", body.treatment);
  const lines = [...invoice.lines, { ...body, price: treatment.price }];
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  await changeAppointment(records, invoice.appointmentId, { price: total });
  return { status: 200, body: await changeInvoice(records, invoice.id, { lines, total }) };
});

/** A payment is made once for each id, so that a client can send it again. The last one pays the invoice. */
export const payInvoice = inTransaction<"payInvoice">(async ({ params, body }, { records }) => {
  const payments = records("invoices_invoiceId_payments", params.invoiceId);
  const earlier = await payments.find(params.paymentId);
  if (earlier !== undefined) {
    if (earlier.amount === body.amount && earlier.method === body.method) return { status: 200, body: earlier };
    throw conflict("payment_exists", `Another payment has the id ${params.paymentId}.`);
  }
  const { id, paid: before, total } = await findOpen(records, params.invoiceId);
  const paid = before + body.amount;
  if (paid > total) throw conflict("paid_too_much", `Of the invoice ${id}, ${total - before} cents are not paid.`);
  const payment = { ...body, id: params.paymentId, paidAt: new Date().toISOString() };
  await changeInvoice(records, id, { paid, status: paid === total ? "paid" : "open" });
  return { status: 200, body: await payments.put(payment.id, () => payment) };
});

const longest = 4 * 60 * 60 * 1_000; // milliseconds of an appointment: longer ones can't overlap others without being read

/** Throws an HttpError if an appointment is not in the working hours of its vet, or overlaps another one. */
async function requireFree(records: Records, vetId: string, { startsAt, endsAt }: Period, except?: bigint) {
  const vet = await records("vets").find(vetId);
  if (vet === undefined) throw unknown("vet", vetId);
  const [start, end] = [new Date(startsAt), new Date(endsAt)];
  const duration = end.getTime() - start.getTime();
  if (duration <= 0 || duration > longest)
    throw new HttpError({ code: "invalid_period", status: 422 }, "An appointment ends up to 4 hours after it starts.");
  const clinic = await records("clinics").find(vet.clinicId);
  const [first, last] = [localTime(start, clinic?.timeZone), localTime(end, clinic?.timeZone)];
  const isOpen = vet.workingHours.some(
    ({ weekday, from, until }) =>
      weekday === first.weekday && weekday === last.weekday && from <= first.time && last.time <= until,
  );
  if (!isOpen) throw conflict("not_working", `${vet.name} does not work from ${startsAt} to ${endsAt}.`);
  const { records: others } = await records("appointments").list({
    limit: 1,
    where: {
      vetId,
      startsAt: { gt: new Date(start.getTime() - longest).toISOString(), lt: endsAt },
      endsAt: { gt: startsAt },
      status: { not: "cancelled" },
      ...(except !== undefined && { id: { not: except } }),
    },
  });
  if (others.length > 0) throw conflict("not_free", `${vet.name} has another appointment at this time.`);
}

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Returns the day of the week, of which 1 is Monday, and the time, such as 09:30. */
function localTime(instant: Date, timeZone = "UTC") {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return { weekday: weekdays.indexOf(`${parts.weekday}`) + 1, time: `${parts.hour}:${parts.minute}` };
}

async function findBooked(records: Records, id: bigint): Promise<Appointment> {
  const appointment = await records("appointments").find(id);
  if (appointment === undefined) throw notFound("appointment", id);
  if (appointment.status !== "booked") throw conflict("not_booked", `The appointment ${id} is ${appointment.status}.`);
  return appointment;
}

async function findOpen(records: Records, id: bigint): Promise<Invoice> {
  const invoice = await records("invoices").find(id);
  if (invoice === undefined) throw notFound("invoice", id);
  if (invoice.status !== "open") throw conflict("not_open", `The invoice ${id} is ${invoice.status}.`);
  return invoice;
}

async function changeAppointment(records: Records, id: bigint, change: Partial<Appointment>): Promise<Appointment> {
  const changed = await records("appointments").change(id, (appointment) => ({ ...appointment, ...change }));
  if (changed === undefined) throw notFound("appointment", id);
  return changed;
}

async function changeInvoice(records: Records, id: bigint, change: Partial<Invoice>): Promise<Invoice> {
  const changed = await records("invoices").change(id, (invoice) => ({ ...invoice, ...change }));
  if (changed === undefined) throw notFound("invoice", id);
  return changed;
}

const notFound = (name: string, id: bigint) =>
  new HttpError({ code: `${name}_not_found`, status: 404 }, `No ${name} has the id ${id}.`);

const unknown = (name: string, id: string) =>
  new HttpError({ code: `unknown_${name}`, status: 422 }, `No ${name} has the id ${id}.`);

const conflict = (code: string, message: string) => new HttpError({ code, status: 409 }, message);
