// Values that look like real ones, chosen by the names and types of members. Loads faker, which takes 60 ms.
import type { Faker } from "@faker-js/faker";
import { getOrAdd } from "../../lib/index.ts";

const now = Date.parse("2026-01-01T00:00:00Z"); // the same records each time
const [hour, day] = [3_600_000, 86_400_000]; // milliseconds

// City, state, postal code, country and its codes, currency, language, time zone, latitude, longitude, calling code.
const places = `Berlin,Berlin,10115,Germany,DE,DEU,EUR,de,Europe/Berlin,52.52,13.405,+49 30
Paris,Île-de-France,75001,France,FR,FRA,EUR,fr,Europe/Paris,48.857,2.352,+33 1
London,England,SW1A 1AA,United Kingdom,GB,GBR,GBP,en,Europe/London,51.507,-0.128,+44 20
Madrid,Madrid,28001,Spain,ES,ESP,EUR,es,Europe/Madrid,40.417,-3.704,+34 91
Milan,Lombardy,20121,Italy,IT,ITA,EUR,it,Europe/Rome,45.464,9.19,+39 02
Stockholm,Stockholm,111 20,Sweden,SE,SWE,SEK,sv,Europe/Stockholm,59.329,18.069,+46 8
New York,New York,10001,United States,US,USA,USD,en,America/New_York,40.713,-74.006,+1 212
Seattle,Washington,98101,United States,US,USA,USD,en,America/Los_Angeles,47.606,-122.332,+1 206
Toronto,Ontario,M5H 2N2,Canada,CA,CAN,CAD,en,America/Toronto,43.653,-79.383,+1 416
Tokyo,Tokyo,100-0001,Japan,JP,JPN,JPY,ja,Asia/Tokyo,35.677,139.65,+81 3
Sydney,New South Wales,2000,Australia,AU,AUS,AUD,en,Australia/Sydney,-33.869,151.209,+61 2`
  .split("\n")
  .map((line) => line.split(",") as [string, ...string[]]);

function personOf(faker: Faker) {
  const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
  const email = faker.internet.exampleEmail({ firstName, lastName }).toLowerCase();
  const user = faker.internet.username({ firstName, lastName }).toLowerCase();
  return { firstName, lastName, fullName: `${firstName} ${lastName}`, email, user };
}

function placeOf(faker: Faker) {
  const [city, state, zip, country, code, code3, currency, language, zone, latitude, longitude, phone] =
    faker.helpers.arrayElement(places);
  const [north, east] = [Number(latitude), Number(longitude)];
  return { city, state, zip, country, code, code3, currency, language, zone, north, east, phone };
}

// Of countries, there are more than in the table.
function countryOf(faker: Faker) {
  const code = faker.location.countryCode();
  const country = new Intl.DisplayNames("en", { type: "region" }).of(code);
  return { ...placeOf(faker), code, code3: undefined, country };
}

/** What the values of a member are made from. */
interface Context {
  readonly faker: Faker;
  readonly person: ReturnType<typeof personOf>;
  readonly place: ReturnType<typeof placeOf | typeof countryOf>;
  /** What the object is, such as `owner`, in words. */
  readonly thing: string;
}

/** Returns a value, or several, the best first. */
type Make = (context: Context) => unknown;
type Rule = readonly [RegExp, Make];

const people =
  /account|artist|assignee|author|client|contact|creator|customer|doctor|driver|employee|guest|host|manager|member|owner|passenger|patient|people|person|player|recipient|seller|sender|speaker|student|teacher|traveler|user|visitor/;

// By the last words of the name. The first that the schema of the member allows is used.
const texts: readonly Rule[] = [
  [/id|uuid|guid/, ({ faker }) => faker.string.uuid()],
  [/first_?name|given_name/, ({ person }) => person.firstName],
  [/last_?name|family_name|surname/, ({ person }) => person.lastName],
  [/user_?name|login|nick(name)?|handle/, ({ person }) => person.user],
  [/(full|display|real)_?name/, ({ person }) => person.fullName],
  [people, ({ person }) => person.fullName],
  [/company|organi[sz]ation|vendor|employer|brand|manufacturer|operator|carrier/, ({ faker }) => faker.company.name()],
  [/job(_title)?|profession|occupation|role_?title/, ({ faker }) => faker.person.jobTitle()],
  [/e_?mail(_address)?/, ({ person }) => person.email],
  [/phone(_number)?|mobile|fax|telephone/, ({ faker, place }) => `${place.phone} ${faker.string.numeric(7)}`],
  [/phone(_number)?|mobile|fax|telephone/, ({ faker }) => faker.phone.number({ style: "international" })],
  [/street|address(_line)?_?1?|line_?1/, ({ faker }) => faker.location.streetAddress()],
  [/line_?2/, ({ faker }) => faker.location.secondaryAddress()],
  [/city|town|place|location|origin|destination/, ({ place }) => place.city],
  [/state|province|region|county/, ({ place }) => place.state],
  [/zip(_code)?|post(al)?_?code/, ({ faker, place }) => [place.zip, faker.location.zipCode()]],
  [/country/, ({ place }) => [place.country, place.code, place.code3]],
  [/country_code/, ({ place }) => [place.code, place.code3]],
  [/time_?zone|tz/, ({ place }) => place.zone],
  [/currency(_code)?/, ({ place }) => [place.currency, place.currency?.toLowerCase()]],
  [/locale|lang(uage)?/, ({ place }) => place.language],
  [/iban/, ({ faker }) => faker.finance.iban()],
  [/price|amount|cost|total|balance/, ({ faker }) => faker.commerce.price()],
  [/colou?r/, ({ faker }) => [faker.color.human(), faker.color.rgb()]],
  [/(avatar|image|photo|picture|logo|icon)(_ur[il])?/, ({ faker }) => faker.image.avatar()],
  [/url|uri|link|href|website|homepage/, ({ faker }) => faker.internet.url()],
  [/domain|hostname/, ({ faker }) => faker.internet.domainName()],
  [/ip(_address|v4|v6)?/, ({ faker }) => [faker.internet.ipv4(), faker.internet.ipv6()]],
  [/mac(_address)?/, ({ faker }) => faker.internet.mac()],
  [/user_?agent/, ({ faker }) => faker.internet.userAgent()],
  [/isbn/, ({ faker }) => faker.commerce.isbn()],
  [/sku|ean|upc|barcode|serial(_number)?/, ({ faker }) => faker.string.numeric(12)],
  [/sha|commit|hash/, ({ faker }) => faker.git.commitSha()],
  [/version/, ({ faker }) => faker.system.semver()],
  [/file_?name|file/, ({ faker }) => faker.system.fileName()],
  [/path/, ({ faker }) => faker.system.filePath()],
  [/mime_?type|content_type/, ({ faker }) => faker.system.mimeType()],
  [
    /airport|hotel|office|restaurant|shop|station|store|venue|warehouse/,
    ({ place, thing }) => `${place.city} ${thing}`,
  ],
  [/pet|animal/, ({ faker }) => faker.animal.petName()],
  [/dog|breed/, ({ faker }) => faker.animal.dog()],
  [/product|item/, ({ faker }) => faker.commerce.productName()],
  [/categor(y|ie)|department|genre/, ({ faker }) => faker.commerce.department()],
  [/tag|label|keyword|topic/, ({ faker }) => faker.word.adjective()],
  [/slug/, ({ faker }) => faker.helpers.slugify(faker.commerce.productName()).toLowerCase()],
  [/title|book/, ({ faker, thing }) => (thing === "book" ? faker.book.title() : undefined)],
  [/title|subject|headline|summary/, ({ faker }) => faker.lorem.sentence({ min: 2, max: 5 }).slice(0, -1)],
  [/description|bio|about|memo|note|comment|body|content|text|message|review/, ({ faker }) => faker.lorem.sentence()],
  [/name/, ({ faker, thing }) => `${faker.color.human()} ${thing}`.replace(/^./, (first) => first.toUpperCase())],
];

const numbers: readonly Rule[] = [
  [/lat(itude)?/, ({ place }) => place.north],
  [/lon(gitude)?|lng/, ({ place }) => place.east],
  [/year/, ({ faker }) => faker.number.int({ min: 1950, max: 2025 })],
  [/age/, ({ faker }) => faker.number.int({ min: 18, max: 90 })],
  [/rating|score|star/, ({ faker }) => faker.number.int({ min: 1, max: 5 })],
  [/percent(age)?/, ({ faker }) => faker.number.int(100)],
  [/port/, ({ faker }) => faker.internet.port()],
];

// An example says more.
const codes: readonly Rule[] = [
  [/code|number|ref(erence)?|key/, ({ faker }) => faker.helpers.fromRegExp("[A-Z]{3}-[0-9]{4}")],
];
const amounts: readonly Rule[] = [
  [
    /price|amount|cost|total|balance|fee|cents/,
    ({ faker }) => [faker.number.int(100_000) / 100, faker.number.int(1_000)],
  ],
  [/quantity/, ({ faker }) => faker.number.int({ min: 1, max: 9 })],
  [/count|stock|copie|number|size|page/, ({ faker }) => faker.number.int({ min: 1, max: 500 })],
];

const tables = { texts, numbers, codes, amounts };

const timeName = /(^|_)(created|updated|modified|expires|start|end|date|timestamp|time|at|on|since|until)(_|$)/;
const ended =
  /^(is_)?(archived|banned|blocked|cancell?ed|closed|completed|deleted|disabled|discontinued|ended|failed|finished|locked|refunded|rejected|removed|resolved|revoked|suspended|terminated)(_|$)/;
const usual = /(^|_)(active|available|enabled|verified|visible|published)$/;

/** A member whose values are made. Names are in snake case. */
export interface SeedMember {
  readonly name: string;
  readonly thing: string;
  readonly isRequired: boolean;
  /** What members of the same object have in common: a person, a place, a time. */
  readonly subject: Map<string, unknown>;
  readonly keywords: Readonly<Record<string, unknown>>;
  readonly example: unknown;
}

/** Values by the names of members, the same each time. */
export class SeedValues {
  readonly #faker: Faker;
  readonly #rules = new Map<string, readonly Match[]>(); // by their table and name

  constructor(faker: Faker) {
    this.#faker = faker;
  }

  /** Returns values for a member by its name, type and format, the best first: undefined for none, and nothing if these say nothing. */
  *of(member: SeedMember): Generator<unknown> {
    const { name, isRequired, keywords, example } = member;
    const { type, format, pattern, maxLength, minimum = 0 } = keywords;
    const faker = this.#faker;
    const isEnd = ended.test(name);
    const isLikely = (percent: number) => faker.number.int(99) < percent;
    if (type === "boolean") return yield isEnd ? !isLikely(85) : isLikely(usual.test(name) ? 85 : 50);
    const canLack = !isRequired && type !== "array" && !/name|title/.test(name);
    if (isEnd ? isLikely(85) : canLack && isLikely(25)) yield null;
    if (isEnd && !isRequired && isLikely(85)) yield undefined;
    if (type === "string") {
      const isTime = /^date(-time)?$/.test(`${format}`) || (format === undefined && timeName.test(name));
      const time = isTime && timeOf(faker, member).toISOString();
      if (time) yield* format === "date" ? [time.slice(0, 10)] : [time, time.slice(0, 10)];
      yield* this.#apply("texts", member);
      if (maxLength !== undefined)
        for (const text of this.#apply("texts", member)) yield shorten(`${text}`, Number(maxLength));
      yield* this.#apply("texts", { ...member, name: `${format}` });
      // The digits of a number or code differ. A time stays as it is.
      if (typeof example === "string" && !/\d{4}-\d\d|:\d\d/.test(example))
        yield example.replaceAll(/\d/g, () => faker.string.numeric(1));
      if (example !== undefined) yield example;
      yield* this.#apply("codes", member);
      if (format === undefined || pattern !== undefined) yield shorten(faker.word.noun(), Number(maxLength));
    }
    if (type === "integer" || type === "number") {
      const round = type === "integer" ? Math.round : (value: number) => Math.round(value * 100) / 100;
      const isMilliseconds = Number(example) > 1e11; // in seconds, the year 5138
      if (timeName.test(name)) yield Math.floor(timeOf(faker, member).getTime() / (isMilliseconds ? 1 : 1_000));
      yield* this.#apply("numbers", member);
      const [least, most] = type === "integer" && Number(example) < 10 ? [1, 9] : [0.5, 2];
      if (Number(example) > 0) yield round(Number(example) * faker.number.float({ min: least, max: most }));
      yield* this.#apply("amounts", member);
      const [min, max] = [Number(minimum), Number(keywords.maximum ?? Number(minimum) + 1_000)];
      if (min <= max) yield round(faker.number.float({ min, max }));
    }
  }

  *#apply(table: keyof typeof tables, { name, thing, subject }: SeedMember): Generator<unknown> {
    const faker = this.#faker;
    const found = getOrAdd(this.#rules, `${table} ${thing} ${name}`, () => findRules(tables[table], name, thing));
    for (const { make, key } of found) {
      const value = make({
        faker,
        thing: thing.replaceAll("_", " "),
        get person() {
          return share(subject, `${key} person`, () => personOf(faker));
        },
        get place() {
          return share(subject, `${key} place`, () => (thing === "country" ? countryOf(faker) : placeOf(faker)));
        },
      });
      yield* [value].flat().filter((one) => one !== undefined);
    }
  }
}

function share<T>(subject: Map<string, unknown>, key: string, make: () => T): T {
  return getOrAdd(subject as Map<string, T>, key, make);
}

// Members with the same key, which is what their names begin with, are about the same person or place.
type Match = Readonly<{ make: Make; key: string }>;

function findRules(rules: readonly Rule[], name: string, thing: string): readonly Match[] {
  const endings = endingsOf(name, thing);
  return rules.flatMap(([pattern, make]) => {
    const [text, before] = endings.find(([one]) => pattern.exec(one)?.[0] === one) ?? [];
    if (text === undefined) return [];
    const isNamed = text !== thing && (people.test(text) || /origin|destination/.test(text));
    return [{ make, key: isNamed ? `${before}_${text}`.replace(/^_/, "") : `${before}` }];
  });
}

// A record was created in the year before the last one, and changed in the last one. What is due is in the next one.
function timeOf(faker: Faker, { name, subject, keywords }: SeedMember): Date {
  const within = (from: number, to: number) => faker.number.int({ min: from, max: to });
  const start = share(subject, "start", () => now - within(0, 365 * day));
  if (/^(created|inserted|registered)/.test(name)) return new Date(now - within(366 * day, 731 * day));
  if (/birth|^dob$/.test(name)) return new Date(now - within(20 * 365 * day, 70 * 365 * day));
  if (/(^|_)(due|expir|valid_until|deadline)/.test(name)) return new Date(now + within(day, 365 * day));
  if (/(^|_)(start|begin|from|depart|check_?in)/.test(name)) return new Date(start);
  if (/(^|_)(end|until|to|arriv|finish|check_?out)/.test(name))
    return new Date(start + (keywords.format === "date" ? within(day, 7 * day) : within(hour, 8 * hour)));
  return new Date(now - within(0, 365 * day));
}

// The last words of a name, also in the singular and without `name`, and the words before: `city_name` is a city. A name or code alone is
// that of the thing.
function endingsOf(name: string, thing: string): (readonly [text: string, before: string])[] {
  const words = name.split("_");
  const endings = words.map((_, index) => [words.slice(index).join("_"), words.slice(0, index).join("_")] as const);
  const own = /^(name|code)$/.test(name) ? [[`${thing}_${name}`, ""] as const] : [];
  return [...own, ...endings].flatMap(([text, before]) =>
    [text, text.replace(/_name$/, ""), text.replace(/(?<!s)s$/, "")].map((one) => [one, before] as const),
  );
}

// Without the last words, if the text is too long.
function shorten(text: string, max: number): string {
  if (!(text.length > max)) return text;
  const end = text.lastIndexOf(" ", max);
  return text.slice(0, end > 0 ? end : max).replace(/\W$/, "");
}
