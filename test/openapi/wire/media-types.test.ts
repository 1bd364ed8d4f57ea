// Media types: their formats, and which declared one a body has.
import t from "tap";
import { formatOf, isJson, negotiate, selectMediaType } from "../../../src/openapi/wire/media-types.ts";

t.test("Knows the format of a media type", async (t) => {
  for (const [mediaType, format] of [
    ["application/json", "json"],
    ["Application/JSON ; charset=utf-8", "json"],
    ["application/problem+json", "json"],
    ["application/vnd.a.b-c+json; v=1", "json"],
    ["application/x-www-form-urlencoded", "form"],
    ["multipart/form-data; boundary=x", "multipart"],
    ["text/plain", "text"],
    ["text/*", "text"],
    ["text/event-stream", "stream"],
    ["application/jsonl", "stream"],
    ["application/json-seq", "stream"],
    ["application/xml", "stream"],
    ["multipart/mixed", "stream"],
    ["*/*", "stream"],
  ] as const)
    t.equal(formatOf(mediaType), format, mediaType);
  t.notOk(isJson("application/json+xml"));
});

t.test("Selects the most specific declared media type", async (t) => {
  const all = ["*/*", "text/*", "text/csv", "text/csv; header=present", "Application/JSON"];
  for (const [declared, mediaType, expected] of [
    [all, "text/csv", "text/csv"],
    [all, "TEXT/CSV; header=present", "text/csv; header=present"],
    [all, 'text/csv; header="present"; x=1', "text/csv; header=present"],
    [all, "text/csv; header=absent", "text/csv"],
    [all, "text/html", "text/*"],
    [all, "image/png", "*/*"],
    [all, "application/json; charset=utf-8", "Application/JSON"],
    [["a/b; v=1"], "a/b", "a/b; v=1"],
    [["a/b; v=1"], "a/b; v=2", undefined],
    [["a/b; charset=utf-8"], "a/b; charset=UTF8", "a/b; charset=utf-8"],
    [["a/b;;"], "a/b; =", "a/b;;"],
    [[], "a/b", undefined],
    [["a/b"], "a/c", undefined],
  ] as const)
    t.equal(selectMediaType(declared, mediaType), expected, `${mediaType} of ${declared}`);
});

t.test("Negotiates a media type that the document declares as a range", async (t) => {
  for (const [available, accept, expected] of [
    [["text/*", "a/b"], "text/html", "text/*"],
    [["text/*", "a/b"], "text/*", "text/*"],
    [["text/*", "a/b"], "a/b, text/html;q=0.9", "a/b"],
    [["*/*"], "image/png;q=0.1", "*/*"],
    [["*/*"], "image/png;q=0", undefined],
    [["a/b"], "a/*;q=0.000", undefined],
    [["a/b", "application/json"], "application/vnd.api.v3+json", "application/json"],
    [["a/b"], "application/vnd.api.v3+json", undefined],
    [["a/b", "application/json"], "text/html", undefined],
    [[], "a/b", undefined],
    [[], undefined, undefined],
  ] as const)
    t.equal(negotiate(available, accept), expected, `${accept} of ${available}`);
});
