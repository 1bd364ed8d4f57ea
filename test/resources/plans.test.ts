// The plans of documents of many kinds, as `serve --plan` prints them: the table plans.txt shows what a change of recognition means.
// `UPDATE_PLANS=1` writes it again.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import { readDocument } from "../../src/openapi/index.ts";
import { describePlan, planOf } from "../../src/resources/index.ts";
import { root } from "../support/files.ts";

const table = join(import.meta.dirname, "plans.txt");
const published = (name: string) => createRequire(import.meta.url).resolve(`@readme/oas-examples/${name}.json`);
const documents = [
  join(root, "openapi/petstore.yaml"),
  join(root, "examples/library/library.yaml"),
  join(root, "examples/orders/orders.yaml"),
  join(root, "docs/server/tickets.yaml"),
  ...["3.0/json/petstore", "3.0/json/star-trek", "3.0/json/uspto", "3.1/json/train-travel"].map(published),
];

t.test("Documents have the plans of the table", async (t) => {
  const plans: string[] = [];
  for (const path of documents) {
    const plan = planOf(await readDocument(path, { strict: false }));
    JSON.parse(JSON.stringify(plan)); // plain data
    plans.push(`=== ${path.replace(/^.*\//, "")}\n${describePlan(plan)}`);
  }
  const text = plans.join("\n");
  if (process.env.UPDATE_PLANS) writeFileSync(table, text);
  t.equal(text, readFileSync(table, "utf8"));
});
