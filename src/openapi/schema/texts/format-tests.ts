// Which texts have a format: those of JSON Schema (validation 2020-12, section 7), and of the format registry of OpenAPI. Most are
// from ajv-formats, and the others are those that it reads differently than their specification, or does not know.
import { domainToASCII } from "node:url";
import { fullFormats } from "ajv-formats/dist/formats.js";

/** Returns whether a text has a format. */
export type FormatTest = (text: string) => boolean;

/** Formats that each value has, because they describe it for people or tools, or are the range of a number. */
const descriptions: ReadonlySet<string> = new Set([
  ...["binary", "commonmark", "decimal", "decimal128", "double", "double-int", "float", "html", "password"],
  ...["http-date", "media-range", "unixtime"],
  ...["sf-binary", "sf-boolean", "sf-decimal", "sf-integer", "sf-string", "sf-token"],
]);

function fromAjv(name: keyof typeof fullFormats): FormatTest {
  const definition: unknown = fullFormats[name];
  const { validate = definition } = Object(definition) as { readonly validate?: unknown };
  return validate instanceof RegExp ? (text) => validate.test(text) : (validate as FormatTest);
}

function matches(pattern: RegExp): FormatTest {
  return (text) => pattern.test(text);
}

const isDate = fromAjv("date");
const isHostname = fromAjv("hostname");
const isUri = fromAjv("uri");
const isUriReference = fromAjv("uri-reference");

// RFC 3339, section 5.6. The second 60 is the last one of a day in UTC.
const time = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/i;
const zone = /(?:z|[+-]\d\d:\d\d)$/i;
const isLeapSecond = fromAjv("iso-time");
const isIsoTime: FormatTest = (text) =>
  time.test(text) && (text.slice(6, 8) !== "60" || isLeapSecond(text.replace(/\.\d+/, "")));
const isTime: FormatTest = (text) => zone.test(text) && isIsoTime(text);
const isLocalTime: FormatTest = (text) => !zone.test(text) && isIsoTime(text);

function withDate(isTimeOfDay: FormatTest, separator: RegExp): FormatTest {
  return (text) => isDate(text.slice(0, 10)) && separator.test(text.charAt(10)) && isTimeOfDay(text.slice(11));
}

// RFC 3987 allows characters beyond ASCII, but not spaces, where a URI has their percent-encoding.
function toUri(text: string): string {
  return text.replace(/[\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\u{10000}-\u{effff}]/gu, "a");
}

// RFC 5890, by its form in ASCII.
const isInternationalHostname: FormatTest = (text) => {
  const dotted = text.replace(/[。．｡]/g, ".");
  const ascii = domainToASCII(dotted);
  return ascii !== "" && isHostname(ascii) && !/(^|\.)-|-(\.|$)/.test(dotted);
};

const own: Readonly<Record<string, FormatTest>> = {
  // RFC 4648, section 4, without line breaks.
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  base64url: matches(/^[A-Za-z0-9_-]*={0,2}$/),
  char: matches(/^.$/su),
  "date-time": withDate(isTime, /t/i),
  "date-time-local": withDate(isLocalTime, /t/i),
  "iso-date-time": withDate(isIsoTime, /[t ]/i),
  "iso-time": isIsoTime,
  time: isTime,
  "time-local": isLocalTime,
  url: (text) => /^[a-z][a-z\d+.-]*:\/\/[^\s]+$/i.test(text) && URL.canParse(text),
  // RFC 3339, appendix A: without gaps between the units.
  duration: matches(
    /^P(?!$)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
  ),
  "idn-email": (text) => /^[^\s@]+@[^\s@]+$/u.test(text) && isInternationalHostname(text.slice(text.indexOf("@") + 1)),
  "idn-hostname": isInternationalHostname,
  iri: (text) => isUri(toUri(text)),
  "iri-reference": (text) => isUriReference(toUri(text)),
  uuid: matches(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i),
};

/** The names of the formats that are enforced. */
export const enforcedFormats: readonly string[] = [...Object.keys(fullFormats), ...Object.keys(own)].filter(
  (name) => !descriptions.has(name),
);

/** The names of the formats of strings. */
export const textFormats: readonly string[] = [
  ...new Set([
    ...Object.keys(fullFormats).filter((name) => !/^(u?int\d+)$/.test(name)),
    ...Object.keys(own),
    ...descriptions,
  ]),
];

/** Returns the test of a format; undefined for one that each text has, or that is unknown. */
export function findFormatTest(name: string): FormatTest | undefined {
  if (Object.hasOwn(own, name)) return own[name];
  if (descriptions.has(name) || !Object.hasOwn(fullFormats, name)) return undefined;
  return fromAjv(name as keyof typeof fullFormats);
}
