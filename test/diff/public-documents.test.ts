// Documents of others: the same document in JSON and YAML, and with each reference replaced by what it leads to.
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { compareDocuments } from "../../src/diff/index.ts";
import { readDocument } from "../../src/openapi/index.ts";
import { root } from "../support/files.ts";

const folder = join(root, "node_modules/@readme/oas-examples");

const different = "3.1/json/parameters-style.json"; // has other methods in YAML

/** Returns a part with the target of each reference in its place, as far as references do not lead to themselves. */
function inline(document: object, part: unknown, passed: readonly string[] = []): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => inline(document, item, passed));
  const { $ref, ...others } = part as { readonly $ref?: string };
  if ($ref?.startsWith("#/") && Object.keys(others).length === 0 && !passed.includes($ref) && passed.length < 3) {
    const tokens = $ref
      .slice(2)
      .split("/")
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    const target = tokens.reduce<unknown>((value, token) => Object(value)[decodeURIComponent(token)], document);
    if (target !== undefined) return inline(document, target, [...passed, $ref]);
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, inline(document, value, passed)]));
}

for (const file of globSync("3.[01]/json/*.json", { cwd: folder }).sort())
  t.test(`${file} has no changes in another form`, async (t) => {
    const path = join(folder, file);
    const read = (source: string | object) => readDocument(source, { strict: false });
    const document = await read(path);
    const changes = async (other: string | object) =>
      compareDocuments(document, await read(other), "2030-01-01")
        .filter(({ rating }) => rating !== "documentation") // some have other texts
        .map(({ location, text }) => `${location}: ${text}`);
    const yaml = path.replaceAll("json", "yaml");
    if (existsSync(yaml) && file !== different) t.same(await changes(yaml), [], "YAML");
    const { paths, ...others } = document.content;
    t.same(await changes({ ...others, paths: inline(document.content, paths) }), [], "inlined");
  });
