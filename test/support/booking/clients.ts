// Random clients of examples/booking, which record what they send and read. They share what they know: the paths of records.
import { randomUUID } from "node:crypto";
import { createRandom, type Random } from "../random.ts";
import { checkInvoice, findOverlaps, type Read, type StoredRecord, type Write } from "./checker.ts";
import { type Received, Sender, type Sent, type Server } from "./sender.ts";

const knownRecords = 8; // of each collection, the latest: few, so that the calls meet
const bookingsOfVet = 25; // then there is another vet
const maxRetries = 50;

type Effect = Pick<Write, "kind" | "sets" | "mark" | "owner"> & {
  /** The path of the record. By default, that of the request, and for a creation that of the record in the response. */
  readonly path?: string;
  /** Whether it is sent again until there is a response. */
  readonly isRepeatable?: boolean;
};

/** Sends requests to processes that may be killed, and records them. */
export class Clients {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  /** Sends them. */
  readonly sender: Sender;
  readonly #seed: number;
  readonly #known = new Map<string, string[]>(); // ids by collection
  readonly #reasons = new Map<string, string>(); // the marks of appointments, by path
  #marks = 0;
  #bookings = 0;

  constructor(servers: readonly Server[], seed: number) {
    this.#seed = seed;
    this.sender = new Sender(servers, createRandom(seed));
  }

  /** Creates a clinic with vets, and an owner with a pet. */
  async begin(): Promise<void> {
    const random = createRandom(this.#seed);
    await this.#createClinic();
    await this.#createOwner(random);
    for (const work of [this.#createVet, this.#createVet, this.#createVet, this.#createPet, this.#putTreatment])
      await work.call(this, random);
  }

  /** Sends random requests, one after the other, until `isDone` returns true. */
  async run(client: number, isDone: () => boolean): Promise<void> {
    const random = createRandom(this.#seed * 1_000 + client);
    const weighted: [number, (random: Random) => Promise<unknown>][] = [
      [1, () => this.#createClinic()],
      [1, this.#createVet],
      [4, this.#createOwner],
      [4, this.#createPet],
      [2, this.#putTreatment],
      [24, this.#book],
      [8, this.#reschedule],
      [4, this.#end],
      [8, this.#addLine],
      [6, this.#pay],
      [6, this.#change],
      [5, this.#delete],
      [20, this.#read],
      [10, this.#list],
    ];
    const actions = weighted.flatMap(([weight, action]) => Array<typeof action>(weight).fill(action));
    while (!isDone()) await random.pick(actions).call(this, random);
  }

  #newMark(): string {
    return `m${this.#marks++}`;
  }

  #pick(collection: string, { pick }: Random): string {
    const ids = this.#known.get(collection) ?? [];
    if (ids.length === 0) return ["appointments", "invoices"].includes(collection) ? "0" : randomUUID();
    return pick(ids.slice(-(collection === "vets" ? 3 : knownRecords)));
  }

  #createClinic() {
    const mark = this.#newMark();
    return this.#write({ method: "POST", path: "/clinics", body: { name: mark, timeZone: "UTC" } }, create(mark));
  }

  #createVet(random: Random) {
    const mark = this.#newMark();
    const workingHours = [{ weekday: 1, from: "08:00", until: "12:00" }];
    const body = { clinicId: this.#pick("clinics", random), name: mark, workingHours };
    return this.#write({ method: "POST", path: "/vets", body }, create(mark));
  }

  // Half of them with one of a few addresses.
  #createOwner({ int, chance }: Random) {
    const mark = this.#newMark();
    const name = chance(2) ? mark : `shared${Math.floor(this.#marks / 200)}-${int(4)}`;
    const body = { name: mark, email: `${name}@example.org`, phone: mark };
    const sets = { email: body.email, phone: mark };
    return this.#write(
      { method: "POST", path: "/owners", body, key: mark },
      { ...create(mark, sets), isRepeatable: true },
    );
  }

  #createPet(random: Random) {
    const mark = this.#newMark();
    const owner = `/owners/${this.#pick("owners", random)}`;
    const body = { name: mark, species: "cat" };
    return this.#write(
      { method: "POST", path: `${owner}/pets`, body, key: mark },
      { ...create(mark, { species: "cat" }), owner, isRepeatable: true },
    );
  }

  #putTreatment({ int }: Random) {
    const code = `t${int(3)}`;
    const body = { name: code, price: int(100) * 100 + 100 };
    this.#learn("treatments", code);
    return this.#write({ method: "PUT", path: `/treatments/${code}`, body }, { kind: "change", sets: body });
  }

  async #book(random: Random) {
    const mark = this.#newMark();
    const period = this.#period(random);
    const ids = { vetId: this.#pick("vets", random), petId: this.#pick("pets", random) };
    const sets = { ...period, ...ids, reason: mark, status: "booked" };
    const body = { ...period, ...ids, reason: mark };
    const response = await this.#write({ method: "POST", path: "/appointments", body }, create(mark, sets));
    if (response?.status !== 201) return;
    this.#reasons.set(`/appointments/${response.body.id}`, mark);
    if (++this.#bookings % bookingsOfVet === 0) await this.#createVet(random);
    const { body: found } =
      (await this.sender.send({ method: "GET", path: `/invoices?appointmentId=${response.body.id}` })) ?? {};
    if (found?.[0]) this.#learn("invoices", `${found[0].id}`);
  }

  // In a morning, at a quarter of an hour, in one of two forms.
  #period({ int, chance }: Random) {
    const start = Date.UTC(2027, 0, 4, 8) + int(15) * 900_000;
    const toText = (time: number) => new Date(time).toISOString().replace("Z", chance(2) ? "Z" : "+00:00");
    return { startsAt: toText(start), endsAt: toText(start + (1 + int(3)) * 900_000) };
  }

  #reschedule(random: Random) {
    const path = `/appointments/${this.#pick("appointments", random)}`;
    const body = this.#period(random);
    return this.#write({ method: "POST", path: `${path}/reschedule`, body }, { kind: "change", path, sets: body });
  }

  #end(random: Random) {
    const path = `/appointments/${this.#pick("appointments", random)}`;
    const [action, status] = random.chance(3) ? ["complete", "completed"] : ["cancel", "cancelled"];
    return this.#write({ method: "POST", path: `${path}/${action}` }, { kind: "change", path, sets: { status } });
  }

  #addLine(random: Random) {
    const mark = this.#newMark();
    const path = `/invoices/${this.#pick("invoices", random)}`;
    const body = { treatment: this.#pick("treatments", random), quantity: 1 + random.int(3), note: mark };
    return this.#write({ method: "POST", path: `${path}/lines`, body }, { kind: "change", sets: {}, mark });
  }

  #pay(random: Random) {
    const id = randomUUID();
    const path = `/invoices/${this.#pick("invoices", random)}/payments/${id}`;
    const body = { amount: (1 + random.int(50)) * 100, method: "card" };
    const effect: Effect = { kind: "create", sets: body, mark: id, path, isRepeatable: true };
    return this.#write({ method: "PUT", path, body }, effect);
  }

  #change(random: Random) {
    const value = this.#newMark();
    const appointment = `/appointments/${this.#pick("appointments", random)}`;
    const [path, body] = random.pick<[string, StoredRecord]>([
      [`/owners/${this.#pick("owners", random)}`, { phone: value }],
      [
        `/owners/${this.#pick("owners", random)}`,
        { email: `shared${Math.floor(this.#marks / 200)}-${random.int(4)}@example.org` },
      ],
      [`/pets/${this.#pick("pets", random)}`, { species: random.pick(["cat", "dog", "bird"]) }],
      [appointment, { reason: `${this.#reasons.get(appointment)} ${value}` }],
    ]);
    return this.#write({ method: "PATCH", path, body }, { kind: "change", sets: body });
  }

  #delete(random: Random) {
    const collection = random.pick(["owners", "pets", "vets", "clinics", "treatments"]);
    const path = `/${collection}/${this.#pick(collection, random)}`;
    // A treatment can be created again.
    const effect: Effect =
      collection === "treatments" ? { kind: "change", sets: { price: undefined } } : { kind: "delete", sets: {} };
    return this.#write({ method: "DELETE", path }, effect);
  }

  async #read(random: Random) {
    const collection = random.pick(["owners", "pets", "appointments", "appointments", "invoices"]);
    const path = `/${collection}/${this.#pick(collection, random)}`;
    const start = performance.now();
    const response = await this.sender.send({ method: "GET", path });
    if (response === undefined) return;
    const record = response.status === 200 ? response.body : undefined;
    if (collection === "invoices") this.sender.problems.push(...(record ? checkInvoice(record) : []));
    // A pet is also deleted with its owner.
    else if (record || collection !== "pets") this.reads.push({ path, record, start, end: performance.now() });
  }

  async #list(random: Random) {
    const path = random.pick([
      `/vets/${this.#pick("vets", random)}/appointments?limit=100`,
      `/appointments?limit=100&status=booked&startsAt_gte=2027-01-04T09:00:00Z`,
      `/owners?email=shared${Math.floor(this.#marks / 200)}-${random.int(4)}@example.org`,
      `/owners/${this.#pick("owners", random)}/pets`,
      `/invoices?status=open`,
    ]);
    const { status, body } = (await this.sender.send({ method: "GET", path })) ?? {};
    if (status !== 200 || body === undefined) return;
    if (path.includes("appointments")) this.sender.problems.push(...findOverlaps(body));
    if (path.startsWith("/invoices")) this.sender.problems.push(...body.flatMap(checkInvoice));
    if (path.startsWith("/owners?") && body.length > 1) this.sender.problems.push(`${path} has ${body.length} owners.`);
  }

  async #write(sent: Sent, { isRepeatable = false, path: known, ...effect }: Effect): Promise<Received | undefined> {
    const start = performance.now();
    let response = await this.sender.send(sent);
    for (let retry = 0; response === undefined && isRepeatable && retry < maxRetries; retry++)
      response = await this.sender.send(sent);
    const end = response === undefined ? Number.POSITIVE_INFINITY : performance.now();
    const { status, body } = response ?? {};
    const collection = sent.path.split("/").at(-1) as string;
    const isNew = effect.kind === "create" && known === undefined;
    const path = known ?? (isNew ? (status === 201 ? `/${collection}/${body?.id}` : undefined) : sent.path);
    this.writes.push({ ...effect, path, start, end, status });
    if (isNew && status === 201) this.#learn(collection, `${body?.id}`);
    if (sent.method === "DELETE" && (status === 204 || status === 404)) this.#forget(sent.path);
    return response;
  }

  #learn(collection: string, id: string): void {
    const ids = this.#known.get(collection) ?? [];
    this.#known.set(collection, [...ids.filter((one) => one !== id), id]);
  }

  #forget(path: string): void {
    const [, collection = "", id] = path.split("/");
    this.#known.set(
      collection,
      (this.#known.get(collection) ?? []).filter((one) => one !== id),
    );
  }
}

const create = (mark: string, sets: StoredRecord = {}): Effect => ({ kind: "create", sets, mark });
