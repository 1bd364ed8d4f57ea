// The contract gate: the version that changes of the document require, and the files that a release writes.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { type Context, diff, release } from "../../../scripts/contract/gate.ts";
import { baseline, type Edit, today } from "../../support/contract.ts";
import { edit, folder, root } from "../../support/files.ts";

const version = (text: string): Edit => [/(?<=\n {2}version: ).*/, text];
const shop: Edit = [/(?<= {4}NewPet:\n[\s\S]*?properties:\n)/, "        shop: { type: string, maxLength: 10 }\n"];
const withoutStatus: Edit = [/ {8}- name: status\n(.*\n){4}/, ""];

/** Creates a folder with the document, without a release. */
function contract(t: Test) {
  const place = folder(t);
  mkdirSync(join(place, "released"));
  const read = (name: string) => readFileSync(join(place, name), "utf8");
  const write = (...edits: Edit[]) => writeFileSync(join(place, "petstore.yaml"), edit(baseline, ...edits));
  const run = async (command: (context: Context) => Promise<void>) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const error = await command({ folder: pathToFileURL(`${place}/`), today, print }).then(
      () => undefined,
      ({ message }: Error) => message,
    );
    return { error, output: lines.join("\n") };
  };
  write();
  return { read, write, run };
}

t.test("Asks for the version that the changes need", async (t) => {
  const { write, run } = contract(t);
  t.match(await run(diff), { error: /No version is released yet/ });
  t.match(await run(release), { error: undefined });
  t.match(await run(diff), { error: undefined, output: /is valid for the changes since 1\.0\.0/ }, "no change");

  write(withoutStatus);
  t.match(await run(diff), {
    output: /^breaking: listPets, query parameter `status`: Removed\.$/m,
    error: /breaks clients of 1\.0\.0\. Revert it, or release 2\.0\.0 at a base path other than \/v1\.$/,
  });
  write(withoutStatus, version("1.1.0"));
  t.match(await run(diff), { error: /breaks clients of 1\.0\.0/ }, "a minor version is too low");
  write(withoutStatus, version("2.0.0"));
  t.match(await run(diff), { error: /at a base path other than/ }, "a major version at the same address");
  write(withoutStatus, version("2.0.0"), [/petstore\.example\/v1/g, "petstore.example/v2"]);
  t.match(await run(diff), { error: undefined }, "a major version at another address is another service");
  write(["maximum: 100", "maximum: 50"], version("1.1.0"));
  t.match(await run(diff), {
    error: /breaks clients of 1\.0\.0/,
    output: /listPets, query parameter `limit`: `maximum` changed from 100 to 50/,
  });

  write(shop);
  t.match(await run(diff), {
    output: /^compatible: schema `NewPet`, field `shop`: Added\.$/m,
    error: /info\.version is 1\.0\.0, but the compatible changes require at least 1\.1\.0\.$/,
  });
  write(shop, version("1.0.1"));
  t.match(await run(diff), { error: /at least 1\.1\.0/ }, "a patch version is too low");
  write(shop, version("1.1.0"));
  t.match(await run(diff), { error: undefined, output: /^compatible: / });
  write(["summary: List pets", "summary: List all pets"]);
  t.match(await run(diff), { error: /the documentation changes require at least 1\.0\.1/ });
  write(version("0.9.0"));
  t.match(await run(diff), { error: /info\.version is 0\.9\.0, but 1\.0\.0 is already released/ });
  write(version("next"));
  t.match(await run(diff), { error: /info\.version is next, but must have the form 1\.2\.3/ });
});

t.test("A release writes the baseline and the changelog", async (t) => {
  const { read, write, run } = contract(t);
  await run(release);
  t.equal(read("released/1.0.0.yaml"), baseline, "the document is unchanged, with its own date");
  const first = read("CHANGELOG.md");
  t.match(first, /^# Changelog of the contract\n[\s\S]*\n## 1\.0\.0, 2026-11-20\n\nThe first release\.\n$/);
  t.match(await run(release), { error: undefined, output: /1\.0\.0 is already released/ });

  write(shop);
  t.match(await run(release), { error: /at least 1\.1\.0/ }, "the gate applies to releases, too");
  t.equal(read("CHANGELOG.md"), first);
  write(shop, version("1.1.0"), ["summary: List pets", "summary: List all pets"]);
  t.match(await run(release), { error: undefined });
  t.match(
    read("CHANGELOG.md"),
    `# Changelog of the contract

Changes for clients of the API. \`npm run contract:release\` adds an entry for each release.

## 1.1.0, ${today}

### Schema \`NewPet\`

- Compatible: field \`shop\`: Added.

### listPets

- Documentation: \`summary\` changed.

## 1.0.0, 2026-11-20
`,
  );
  t.match(read("petstore.yaml"), `\n  x-released: ${today}\n`, "a new version has its own date");
  t.equal(read("released/1.1.0.yaml"), read("petstore.yaml"));
  t.match(
    await run(diff),
    { error: undefined, output: /is valid for the changes since 1\.1\.0/ },
    "it is the next baseline",
  );
});

t.test("npm run contract:diff and contract:release report on stdout and stderr, and by their exit code", async (t) => {
  const place = folder(t);
  for (const name of ["scripts", "src", "openapi", "package.json"])
    cpSync(join(root, name), join(place, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  rmSync(join(place, "openapi/released"), { recursive: true });
  rmSync(join(place, "openapi/CHANGELOG.md"));
  mkdirSync(join(place, "openapi/released"));
  const write = (...edits: Edit[]) => writeFileSync(join(place, "openapi/petstore.yaml"), edit(baseline, ...edits));
  const read = (name: string) => readFileSync(join(place, name), "utf8");
  const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;
  const run = (command: string) => {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
    const { status, stdout, stderr } = spawnSync(command, { cwd: place, env, encoding: "utf8", shell: true });
    return { status, stdout, stderr };
  };
  const [diff, release] = [scripts["contract:diff"] as string, scripts["contract:release"] as string];
  write();
  t.match(run(release), { status: 0, stdout: /^Released 1\.0\.0 \(2026-11-20\)/, stderr: "" });
  t.equal(read("openapi/released/1.0.0.yaml"), baseline);
  write(withoutStatus);
  t.match(run(diff), { status: 1, stdout: /^breaking: listPets/m, stderr: /breaks clients of 1\.0\.0/ });
  write(shop, version("1.1.0"));
  t.match(run(diff), {
    status: 0,
    stdout: /^compatible: [\s\S]*\ninfo\.version 1\.1\.0 is valid for the changes since 1\.0\.0/,
  });
  const day = () => new Date().toISOString().slice(0, 10);
  const before = day();
  t.match(run(release), { status: 0, stdout: /^Released 1\.1\.0 / });
  const [, day110 = ""] = /^ {2}x-released: (.*)$/m.exec(read("openapi/released/1.1.0.yaml")) ?? [];
  t.ok(before <= day110 && day110 <= day(), "a release has the date of today");
  t.match(run(diff.replace("diff", "dif")), { status: 2, stderr: /diff\|release/ });
});
