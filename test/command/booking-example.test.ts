// The example of an application: rules in the document, and handlers that change several collections in one transaction.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { root } from "../support/files.ts";
import { runOpenApi, startOpenApi } from "../support/openapi-command.ts";

const folder = join(root, "examples/booking");
const at = (from: string, until: string) => ({ startsAt: `2027-01-04T${from}:00Z`, endsAt: `2027-01-04T${until}:00Z` });

t.test("The plan has what x-resource declares", async (t) => {
  const { stdout } = await runOpenApi(["serve", join(folder, "booking.yaml"), "--plan"]);
  for (const line of [
    "owners: the id is id, a UUID of the server; filters: email; unique: email",
    "pets: the id is id, a UUID of the server; filters: species, ownerId; references: ownerId to owners (cascade)",
  ])
    t.ok(stdout.split("\n").includes(line), line);
});

for (const [store, newPlace] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${store}: appointments do not overlap, and have an invoice that is paid`, async (t) => {
    const handlers = ["--handlers", join(folder, "handlers.ts"), "--data", await newPlace(t), "--key", "any"];
    const { send } = await startOpenApi(t, ["serve", join(folder, "booking.yaml"), ...handlers]);
    const add = async (path: string, content: object) => (await send("POST", path, content)).body;
    t.match(await send("GET", "/invoices"), { status: 200, body: [] }, "its handlers create invoices");
    const clinic = await add("/clinics", { name: "North", timeZone: "Europe/Berlin" });
    const workingHours = [{ weekday: 1, from: "09:00", until: "17:00" }];
    const vet = await add("/vets", { clinicId: clinic.id, name: "Ada", workingHours });
    const owner = await add("/owners", { name: "Eve", email: "eve@example.org" });
    const pet = await add(`/owners/${owner.id}/pets`, { name: "Tom", species: "cat" });
    const book = (period: object, others = {}) =>
      send("POST", "/appointments", { vetId: vet.id, petId: pet.id, reason: "cough", ...period, ...others });

    const { headers, body: booked } = await book(at("08:00", "08:30"));
    t.match(booked, { id: 1, status: "booked", price: 0 });
    t.equal(headers.get("Location"), "/appointments/1");
    t.match(await book(at("08:15", "09:00")), { status: 409, body: { code: "not_free" } });
    t.match(await book(at("07:30", "08:00")), { status: 409, body: { code: "not_working" } }, "it is 8:30 in Berlin");
    t.match(await book(at("09:00", "14:00")), { status: 422, body: { code: "invalid_period" } });
    t.match(await book(at("09:00", "09:30"), { vetId: randomUUID() }), { status: 422, body: { code: "unknown_vet" } });
    t.match(await book(at("09:00", "09:30"), { petId: randomUUID() }), {
      status: 422,
      body: { code: "unknown_reference" },
    });
    t.equal((await send("GET", "/invoices")).body.length, 1, "what was refused has left no invoice");
    const second = (await book(at("08:30", "09:00"))).body.id;
    t.match(await send("POST", `/appointments/${second}/reschedule`, at("08:15", "08:45")), { status: 409 });
    t.match(await send("POST", `/appointments/${second}/reschedule`, at("08:45", "09:15")), { status: 200 });
    t.match(await send("POST", `/appointments/${second}/cancel`), { status: 200, body: { status: "cancelled" } });
    t.match(await send("GET", `/invoices?appointmentId=${second}`), { body: [{ status: "cancelled" }] });
    t.match(await book(at("08:45", "09:15")), { status: 201 });

    await send("PUT", "/treatments/x-ray", { name: "X-ray", price: 4_500 });
    t.match(await send("POST", "/invoices/1/lines", { treatment: "x-ray", quantity: 2 }), {
      body: { lines: [{ treatment: "x-ray", quantity: 2, price: 4_500 }], total: 9_000 },
    });
    t.match(await send("GET", "/appointments/1"), { body: { price: 9_000 } });
    const pay = (id: string, amount: number) => send("PUT", `/invoices/1/payments/${id}`, { amount, method: "card" });
    const first = randomUUID();
    t.match(await pay(first, 5_000), { status: 200 });
    t.match(await pay(first, 5_000), { status: 200 }, "once");
    t.match(await send("POST", "/appointments/1/cancel"), { status: 409, body: { code: "already_paid" } });
    t.match(await pay(randomUUID(), 5_000), { status: 409, body: { code: "paid_too_much" } });
    t.match(await pay(randomUUID(), 4_000), { status: 200 });
    t.match(await send("GET", "/invoices/1"), { body: { paid: 9_000, status: "paid" } });
    t.match(await send("POST", "/invoices/1/lines", { treatment: "x-ray" }), {
      status: 409,
      body: { code: "not_open" },
    });
    t.match(await send("POST", "/appointments/1/complete"), { body: { status: "completed" } });
    t.match(await send("DELETE", `/owners/${owner.id}`), { status: 409, body: { code: "still_referred" } });
  });
