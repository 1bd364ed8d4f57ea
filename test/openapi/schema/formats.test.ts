// Formats, by their specifications, and those of the owner.

import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { findFormatTest } from "../../../src/openapi/schema/texts/format-tests.ts";
import { documentOf, serve } from "../../support/document-server.ts";

t.test("Accepts the texts of each format, and no others", async (t) => {
  for (const [format, valid, invalid] of [
    [
      "date-time",
      [
        "2024-01-01T00:00:00Z",
        "2024-02-29t23:59:59.123z",
        "2024-01-01T00:00:00+02:00",
        "1990-12-31T23:59:60Z",
        "1990-12-31T15:59:60-08:00",
      ],
      [
        "2024-01-01 00:00:00Z",
        "2024-01-01\n00:00:00Z",
        "2024-01-01T00:00:00+0200",
        "2024-01-01T00:00:00+02",
        "2024-01-01T00:00:00",
        "2024-01-01T24:00:00Z",
        "2023-02-29T00:00:00Z",
        "2024-01-01T00:00:00Z\n",
        "2024-01-01T12:00:60Z",
        " 2024-01-01T00:00:00Z",
        "2024-01-01T00:00Z",
      ],
    ],
    [
      "time",
      ["12:00:00Z", "12:00:00.5+01:30"],
      ["12:00:00", "12:00:00+0130", "12:00Z", "24:00:00Z", "12:00:00Z\n", "1:00:00Z"],
    ],
    ["date", ["2024-02-29"], ["2024-02-30", "2024-2-1", "2024-01-01T", "2024-01-01\n"]],
    ["date-time-local", ["2024-01-01T00:00:00"], ["2024-01-01T00:00:00Z"]],
    ["duration", ["P1D", "PT1H2M3S", "P1Y2M3DT4H", "P2W"], ["P", "PT", "P1Y2D", "PT1H2S", "P1D2W", "1D"]],
    [
      "uuid",
      ["2eb8aa08-aa98-11ea-b4aa-73b441d16380"],
      ["urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380"],
    ],
    ["byte", ["", "dGV4dA==", "dGV4"], ["dGV4dA", "dGV4\ndGV4", "dGV4\n", "dG-4", "dGV4dA==" + " "]],
    ["base64url", ["dGV4_-", "dGV4dA=="], ["dGV4+A"]],
    ["char", ["a", "💩"], ["", "ab"]],
    ["ipv4", ["192.0.2.1"], ["192.0.2.01", "192.0.2.256", "192.0.2.1\n"]],
    ["ipv6", ["::1", "2001:db8::1"], ["1::1::1", "fe80::1%eth0"]],
    ["email", ["a@b.example"], ["a@b", "a b@c.example", "a@b.example\n"]],
    ["hostname", ["a.example"], ["-a.example", "a_b.example"]],
    ["idn-hostname", ["bücher.example", "a.example"], ["-bücher.example", "a b"]],
    ["idn-email", ["ä@bücher.example"], ["ä", "ä @b.example"]],
    ["uri", ["https://a.example/b?c#d", "urn:x:y"], ["/a", "https://a b", "a"]],
    ["iri", ["https://bücher.example/ä"], ["/ä", "https://a b"]],
    ["iri-reference", ["/ä", "ä#ö"], ["/a b", "\\a"]],
  ] as [string, string[], string[]][]) {
    const test = findFormatTest(format);
    for (const text of valid) t.ok(test?.(text), `${format} ${text}`);
    for (const text of invalid) t.notOk(test?.(text), `${format} ${JSON.stringify(text)}`);
  }
});

t.test("A format that describes a value for people allows each text", async (t) => {
  for (const format of ["password", "binary", "commonmark", "decimal", "float", "html"])
    t.equal(findFormatTest(format), undefined, format);
  const path =
    "  /x: { get: { operationId: x, parameters: [{ name: q, in: query, schema: { type: string, format: html } }], responses: { 204: { description: x } } } }";
  const { document, send } = await serve(documentOf(path));
  t.same(document.findings.list(), []);
  t.match(await send("GET", "/x?q=a%0Ab"), { status: 204 });
});

t.test("A format of the owner is asked for texts, and for the digits of numbers", async (t) => {
  const schema = (type: string) => `{ name: q, in: query, schema: { type: ${type}, format: three-digits } }`;
  const asked: unknown[] = [];
  const formats = {
    "three-digits": (text: string) => {
      asked.push(text);
      return /^\d{3}$/.test(text);
    },
  };
  for (const type of ["integer", "number", "string", "[integer, string]"]) {
    const path = `  /x: { get: { operationId: x, parameters: [${schema(type)}], responses: { 204: { description: x } } } }`;
    await t.rejects(createServer({ document: parse(documentOf(path)), mock: true, strict: true }), {
      message: /has the unknown format "three-digits"/,
    });
    const app = await createServer({
      document: parse(documentOf(path)),
      mock: true,
      formats,
      strict: true,
      logger: pino({ level: "silent" }),
    });
    const statuses = ["334", "3342"].map(
      async (q) => (await app.inject({ url: `/x?q=${q}`, headers: { host: "x" } })).statusCode,
    );
    t.same(await Promise.all(statuses), [204, 400], type);
  }
  t.ok(asked.every((value) => typeof value === "string"));
});

t.test(
  "A format of the owner that fails is a fault of the server, and takes precedence over one of the same name",
  async (t) => {
    const paths =
      "  /x: { get: { operationId: x, parameters: [{ name: q, in: query, schema: { type: integer, format: int32 } }], responses: { 204: { description: x } } } }";
    const formats = {
      int32: (text: string) => {
        if (text === "7") throw new Error("broken");
        return text === "5";
      },
    };
    const app = await createServer({
      document: parse(documentOf(paths)),
      mock: true,
      formats,
      logger: pino({ level: "silent" }),
    });
    t.teardown(() => app.close());
    const statusOf = async (q: string) => (await app.inject({ url: `/x?q=${q}`, headers: { host: "x" } })).statusCode;
    t.same([await statusOf("5"), await statusOf("6"), await statusOf("7")], [204, 400, 500]);
  },
);
