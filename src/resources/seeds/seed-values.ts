// Values that look like real ones, chosen by the names and types of properties. Loads faker, which takes 60 ms.
import type { Faker } from "@faker-js/faker";

/** Returns a value for a property with a name in snake case; undefined if the name says nothing. */
type Make = (faker: Faker) => unknown;

const now = new Date("2026-01-01T00:00:00Z"); // the same records each time

// By the last words of the name. The first that the schema of the property allows is used.
const texts: readonly (readonly [RegExp, Make])[] = [
  [/first_?name|given_name/, (faker) => faker.person.firstName()],
  [/last_?name|family_name|surname/, (faker) => faker.person.lastName()],
  [/user_?name|login|nick(name)?|handle/, (faker) => faker.internet.username().toLowerCase()],
  [/(full|display|real)_?name/, (faker) => faker.person.fullName()],
  [
    /(account|artist|assignee|author|client|contact|creator|customer|doctor|driver|employee|guest|host|manager|member)/,
    (faker) => faker.person.fullName(),
  ],
  [
    /(owner|passenger|patient|people|person|player|recipient|seller|sender|speaker|student|teacher|traveler|user|visitor)/,
    (faker) => faker.person.fullName(),
  ],
  [/company|organi[sz]ation|vendor|employer|brand|manufacturer/, (faker) => faker.company.name()],
  [/job|profession|occupation|role_?title/, (faker) => faker.person.jobTitle()],
  [/e_?mail(_address)?/, (faker) => faker.internet.email().toLowerCase()],
  [/phone|mobile|fax|telephone/, (faker) => faker.phone.number({ style: "international" })],
  [/street|address(_line)?_?1?|line_?1/, (faker) => faker.location.streetAddress()],
  [/line_?2/, (faker) => faker.location.secondaryAddress()],
  [/city|town|place|location/, (faker) => faker.location.city()],
  [/state|province|region|county/, (faker) => faker.location.state()],
  [/zip(_code)?|post(al)?_?code/, (faker) => faker.location.zipCode()],
  [/country_?code/, (faker) => faker.location.countryCode()],
  [/country/, (faker) => faker.location.country()],
  [/country/, (faker) => faker.location.countryCode()],
  [/time_?zone|tz/, (faker) => faker.location.timeZone()],
  [/currency(_code)?/, (faker) => faker.finance.currencyCode()],
  [/currency/, (faker) => faker.finance.currencyCode().toLowerCase()],
  [/iban/, (faker) => faker.finance.iban()],
  [/price|amount|cost|total|balance/, (faker) => faker.commerce.price()],
  [/color|colour/, (faker) => faker.color.human()],
  [/(avatar|image|photo|picture|logo|icon)(_url)?/, (faker) => faker.image.avatar()],
  [/url|uri|link|href|website|homepage/, (faker) => faker.internet.url()],
  [/domain|host(name)?/, (faker) => faker.internet.domainName()],
  [/ip(_address)?/, (faker) => faker.internet.ipv4()],
  [/mac(_address)?/, (faker) => faker.internet.mac()],
  [/user_?agent/, (faker) => faker.internet.userAgent()],
  [/isbn/, (faker) => faker.commerce.isbn()],
  [/sku|ean|upc|barcode|serial(_number)?/, (faker) => faker.string.numeric(12)],
  [/sha|commit|hash/, (faker) => faker.git.commitSha()],
  [/branch/, (faker) => faker.git.branch()],
  [/version/, (faker) => faker.system.semver()],
  [/file_?name|file/, (faker) => faker.system.fileName()],
  [/path/, (faker) => faker.system.filePath()],
  [/mime_?type|content_type/, (faker) => faker.system.mimeType()],
  [/locale|lang(uage)?/, (faker) => faker.location.language().alpha2],
  [/product(_name)?|item/, (faker) => faker.commerce.productName()],
  [/categor(y|ies)|department|genre/, (faker) => faker.commerce.department()],
  [/tags?|labels?|keywords?|topics?/, (faker) => faker.word.adjective()],
  [/slug/, (faker) => faker.helpers.slugify(faker.commerce.productName()).toLowerCase()],
  [/title|subject|headline|summary/, (faker) => capitalize(faker.lorem.words({ min: 2, max: 5 }))],
  [/description|bio|about|notes?|comments?|body|content|text|message|review/, (faker) => faker.lorem.sentence()],
  [/name/, (faker) => faker.commerce.productName()],
];

const numbers: readonly (readonly [RegExp, Make])[] = [
  // Seconds since 1970.
  [
    /created|updated|modified|expires|start|end|date|timestamp|time|at|on|since|until/,
    (faker) => Math.floor(faker.date.past({ years: 1, refDate: now }).getTime() / 1_000),
  ],
  [/lat(itude)?/, (faker) => faker.location.latitude()],
  [/lon(gitude)?|lng/, (faker) => faker.location.longitude()],
  [/price|amount|cost|total|balance|fee/, (faker) => Number(faker.commerce.price())],
  [/price|amount|cost|total|balance|fee/, (faker) => Math.round(Number(faker.commerce.price()))],
  [/year/, (faker) => faker.number.int({ min: 1950, max: 2025 })],
  [/age/, (faker) => faker.number.int({ min: 18, max: 90 })],
  [/rating|score|stars/, (faker) => faker.number.int({ min: 1, max: 5 })],
  [/percent(age)?/, (faker) => faker.number.int(100)],
  [/count|quantity|stock|copies|number|size|pages/, (faker) => faker.number.int({ min: 1, max: 500 })],
  [/port/, (faker) => faker.internet.port()],
];

const formats: Readonly<Record<string, Make>> = {
  "date-time": (faker) => faker.date.past({ years: 1, refDate: now }).toISOString(),
  date: (faker) => faker.date.past({ years: 1, refDate: now }).toISOString().slice(0, 10),
  email: (faker) => faker.internet.email().toLowerCase(),
  uri: (faker) => faker.internet.url(),
  url: (faker) => faker.internet.url(),
  uuid: (faker) => faker.string.uuid(),
  hostname: (faker) => faker.internet.domainName(),
  ipv4: (faker) => faker.internet.ipv4(),
  ipv6: (faker) => faker.internet.ipv6(),
};

/** Returns values for a property by its name in snake case, its type and format: the best first, and none if these say nothing. */
export function* seedValues(
  faker: Faker,
  name: string,
  { type, format, minimum, maximum }: Readonly<Record<string, unknown>>,
): Generator<unknown> {
  const types = [type].flat();
  const endings = endingsOf(name);
  const matching = (rules: readonly (readonly [RegExp, Make])[]) =>
    rules.filter(([pattern]) => endings.some((one) => pattern.exec(one)?.[0] === one)).map(([, make]) => make);
  // Before the other times.
  if (format === "date-time" && /^(created|inserted|registered)/.test(name))
    yield faker.date.past({ years: 1, refDate: new Date(now.getTime() - 366 * 86_400_000) }).toISOString();
  if (types.includes("string")) {
    for (const make of [formats[`${format}`] ?? [], ...matching(texts)].flat()) yield make(faker);
  }
  if (types.includes("integer") || types.includes("number")) {
    for (const make of matching(numbers)) yield make(faker);
    const [min, max] = [Number(minimum ?? 0), Number(maximum ?? Math.max(1_000, Number(minimum ?? 0) + 1_000))];
    yield types.includes("integer")
      ? faker.number.int({ min, max })
      : faker.number.float({ min, max, fractionDigits: 2 });
  }
  if (types.includes("boolean")) yield faker.datatype.boolean();
}

// The last words of a name, also without `name`: `city_name` is a city.
function endingsOf(name: string): readonly string[] {
  const words = name.split("_");
  const endings = words.map((_, index) => words.slice(index).join("_"));
  return [...endings, ...endings.map((one) => one.replace(/_name$/, ""))];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
