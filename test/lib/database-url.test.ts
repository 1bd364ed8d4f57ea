// The URLs of databases.
import t from "tap";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";

t.test("Parses the URL of each kind of database, and of a database on several hosts", async (t) => {
  for (const [text, expected] of [
    ["sqlite:data/petstore.db", { kind: "sqlite", file: "data/petstore.db" }],
    ["sqlite:/a b.db", { kind: "sqlite", file: "/a b.db" }],
    ["sqlite::memory:", { kind: "sqlite", file: undefined }],
    ["postgres://me:secret@db:5432/pets", { kind: "postgresql", urls: ["postgres://me:secret@db:5432/pets"] }],
    ["postgresql://a:1,b:2/x?y=1", { kind: "postgresql", urls: ["postgresql://a:1/x?y=1", "postgresql://b:2/x?y=1"] }],
    ["postgres://me@/pets?host=/run", { kind: "postgresql", urls: ["postgres://me@/pets?host=/run"] }],
  ] as const)
    t.same(parseDatabaseUrl(text), expected, text);
  for (const text of ["", "sqlite:", "sqlite::other:", "mysql://a/b", "postgres:a", "postgres://a:x/b", "pets.db"])
    t.equal(parseDatabaseUrl(text), undefined, text);
});
