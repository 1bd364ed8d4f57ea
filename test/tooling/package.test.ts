// The package of the client, installed from its tarball into an empty folder: its contents and types, and the client in
// Node, in a browser, and in the tests of the client.
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import t from "tap";
import { parse } from "yaml";
import { openPage } from "../support/browser.ts";
import { documentText, folder, root } from "../support/files.ts";
import { npmEnv as env } from "../support/npm.ts";
import { start } from "../support/service.ts";

const run = promisify(execFile);
const timeout = 240_000; // milliseconds

const npm = (cwd: string, ...args: string[]) => run("npm", [...args, "--loglevel=error"], { cwd, env });

const place = folder(t);
const consumer = join(place, "consumer");
const installed = join(consumer, "node_modules/@petstore/contract");

// The tests themselves run with the Node of the project.
const node20 = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((path) => !path.includes("node_modules"))
  .map((path) => join(path, "node"))
  .find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return stdout?.startsWith("v20.");
  });

const program = `import { createClient, type Failure, type NewPet, type Pet, PetStoreError } from "@petstore/contract";

  declare const process: { argv: string[] };
  const [, , baseUrl = "", key = ""] = process.argv;
  const client = createClient({ baseUrl, key });
  const ids: bigint[] = [];
  for (let n = 0; n < 250; n++) {
    const body: NewPet = { name: \`pet \${n}\`, categoryId: 2n ** 63n - 1n - BigInt(n), status: n % 2 ? "sold" : "available" };
    const { data, error, response } = await client.POST("/pets", { body });
    if (error) throw new PetStoreError(error, response);
    ids.push(data.id);
  }
  const all: Pet[] = [];
  for await (const pet of client.pets()) all.push(pet);
  let sold = 0;
  for await (const pet of client.pets({ status: "sold", limit: 100 })) sold += pet.status === "sold" ? 1 : 1000;
  const same = all.every((pet, n) => pet.id === ids[n] && pet.categoryId === 2n ** 63n - 1n - BigInt(n));
  const { error } = await client.GET("/pets/{petId}", { params: { path: { petId: 42_000n } } });
  const failure: Failure | undefined = error;
  const code: string | undefined = failure?.code;
  const hasRequestId = error?.requestId !== undefined;
  console.log(JSON.stringify({ code, created: ids.length, listed: all.length, sold, same, hasRequestId }));
`;

// What the program prints.
const expected = { code: "pet_not_found", created: 250, listed: 250, sold: 125, same: true, hasRequestId: true };

// Code with a type error in its third line.
const wrong = {
  "an unknown status": 'client.pets({ status: "lost" })',
  "an unknown field": '({ name: "Rex", categoryId: 7n, colour: "red" }) satisfies NewPet',
  "a missing required field": 'client.POST("/pets", { body: { name: "Rex" } })',
  "an id that would be rounded": 'client.POST("/pets", { body: { name: "Rex", categoryId: 7 } })',
  "an unknown path": 'client.GET("/cats")',
  "data that is used without checking for an error": '(await client.GET("/pets")).data.length',
};

// Compiles all files at once, because checking the standard library takes most of the time. Returns the errors of tsc.
async function compile(): Promise<string[]> {
  const files = Object.entries(wrong).map(([, line], n) => [
    `wrong-${n}.ts`,
    `import { createClient, type NewPet } from "@petstore/contract";
    const client = createClient({ baseUrl: "http://localhost/v1", key: "psk_" });
    ${line};`,
  ]);
  files.push(["consumer.ts", program]);
  for (const [name = "", text = ""] of files) writeFileSync(join(consumer, name), text);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const strict = ["--strict", "--module", "nodenext", "--target", "esnext", "--exactOptionalPropertyTypes"];
  const names = files.map(([name = ""]) => name);
  const { stdout } = await run(process.execPath, [tsc, ...strict, ...names], { cwd: consumer }).catch((error) => error);
  return stdout
    .trim()
    .split("\n")
    .filter((line: string) => !/^\s/.test(line));
}

let compiled: Promise<string[]>;

t.before(async () => {
  // Packs the dependencies of the client from node_modules, so that the installation needs no network.
  const packages = ["openapi/client", "node_modules/openapi-fetch", "node_modules/openapi-typescript-helpers"];
  const paths = packages.map((name) => `./${name}`);
  const { stdout } = await npm(root, "pack", ...paths, "--json", "--pack-destination", place);
  const packed: { filename: string }[] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), '{ "type": "module" }');
  await npm(consumer, "install", "--offline", ...packed.map(({ filename }) => join(place, filename)));
  compiled = compile();
});

t.test("The package contains the document, its types and the client, with the document's version", async (t) => {
  const read = (name: string) => readFileSync(join(installed, name), "utf8");
  t.equal(read("petstore.yaml"), documentText);
  t.same(JSON.parse(read("dist/petstore.json")), parse(documentText));
  t.equal(JSON.parse(read("package.json")).version, parse(documentText).info.version);
  t.match(read("LICENSE"), /MIT/);
  t.match(read("README.md"), /createClient/);
  const script = 'console.log(import.meta.resolve("@petstore/contract/petstore.json"))';
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { cwd: consumer });
  t.match(stdout, /dist\/petstore\.json/, "as an export");
});

t.test("A typed consumer compiles, creates 250 pets and iterates over all of them", async (t) => {
  const { origin, key } = await start(t);
  t.same(
    (await compiled).filter((line) => !line.startsWith("wrong-")),
    [],
    "neither the consumer nor the declarations of the package have errors",
  );
  const { stdout } = await run(process.execPath, ["consumer.js", `${origin}/v1`, key], { cwd: consumer });
  t.same(JSON.parse(stdout), expected);
});

t.test("The client runs on Node 20", { skip: node20 === undefined && "Node 20 is not installed" }, async (t) => {
  const { origin, key } = await start(t);
  const { stdout } = await run(node20 as string, ["consumer.js", `${origin}/v1`, key], { cwd: consumer });
  t.same(JSON.parse(stdout), expected);
});

t.test("The client of the package passes the tests of the client", async (t) => {
  const env = { ...process.env, CLIENT_MODULE: join(installed, "dist/client.js") };
  for (const file of ["test/client.test.ts", "test/client-options.test.ts"])
    await t.spawn(process.execPath, [file], { cwd: root, env, timeout }, file);
});

t.test("Code that the contract does not allow does not compile", async (t) => {
  for (const [n, name] of Object.keys(wrong).entries()) {
    const errors = (await compiled).filter((line) => line.startsWith(`wrong-${n}.ts`));
    t.ok(errors.length > 0 && errors.every((line) => line.startsWith(`wrong-${n}.ts(3,`)), `${name}: ${errors[0]}`);
  }
});

t.test("The client works in a browser when bundled", async (t) => {
  const { origin, key } = await start(t);
  const input = join(consumer, "visit.js");
  writeFileSync(
    input,
    `import { createClient } from "@petstore/contract";
    globalThis.visit = async () => {
      const client = createClient({ baseUrl: location.origin + "/v1", key: "${key}" });
      const { data } = await client.POST("/pets", { body: { name: "Rex", categoryId: 2n ** 62n } });
      const names = [];
      for await (const pet of client.pets()) names.push(pet.name);
      return [String(data.categoryId), ...names];
    };`,
  );
  const { output } = await (await rolldown({ input, platform: "browser" })).generate({ format: "iife" });
  const { page } = await openPage(t);
  await page.route(`${origin}/page`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<script>${output[0].code}</script>` }),
  );
  await page.goto(`${origin}/page`);
  t.same(await page.evaluate("visit()"), [String(2n ** 62n), "Rex"]);
});
