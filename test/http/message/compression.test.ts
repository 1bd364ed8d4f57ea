// The choice of a content coding.
import { zstdDecompressSync } from "node:zlib";
import t from "tap";
import { type Coding, chooseCoding, compress, isCompressible } from "../../../src/http/message/compression.ts";

const codings: Coding[] = ["gzip", "br", "zstd"];

t.test("Chooses the coding that the client prefers, the first of equal ones (RFC 9110, section 12.5.3)", async (t) => {
  for (const [header, expected] of [
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["zstd, br, gzip", "gzip"],
    ["deflate, br", "br"],
    ["GZIP;Q=1", "gzip"],
    ["gzip;q=0.5, br;q=0.8, zstd ; q=0.7", "br"],
    ["gzip;q=0, *", "br"],
    ["*", "gzip"],
    ["*;q=0", undefined],
    ["gzip;q=0", undefined],
    ["identity", undefined],
    ["identity;q=1, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity;q=0, zstd;q=0.001", "zstd"],
    ["gzip;q=2", undefined],
    ["gzip;q=x, br", "br"],
    ["gzip;level=9, br", "br"],
    [",, ;q=1, br", "br"],
    [`br${" ".repeat(2_000)}`, undefined],
  ] as const)
    t.equal(chooseCoding(header, codings), expected, `${header}`.slice(0, 40));
});

t.test("Compresses text, and no formats that are compressed already", async (t) => {
  for (const type of ["text/html; charset=utf-8", "application/json", "application/problem+json", "image/svg+xml"])
    t.ok(isCompressible(type), type);
  for (const type of ["application/yaml; charset=utf-8", "text/javascript", "application/x-ndjson", "application/wasm"])
    t.ok(isCompressible(type), type);
  for (const type of ["image/png", "application/zip", "application/octet-stream", "video/mp4"])
    t.notOk(isCompressible(type), type);
});

t.test("Compresses more than 64 KiB in a thread", async (t) => {
  for (const size of [65_536, 65_537]) {
    const text = "🐕".repeat(size / 2).padEnd(size, "x");
    const result = compress(text, "zstd");
    t.equal(Buffer.isBuffer(result), size === 65_536);
    t.equal(zstdDecompressSync(await result).toString(), text);
  }
});
