// Imports and exports over pipes: in bounded memory, to readers that close the pipe early, and to full disks.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import t from "tap";
import { stores } from "../support/databases.ts";
import { bin, folder } from "../support/files.ts";
import { maxBytes } from "../support/pets.ts";
import { petLine, petstoreOn, readAllNames } from "../support/stores.ts";

t.test("Imports a record of any length in bounded memory", async (t) => {
  const url = await stores.sqlite(t);
  const temporary = folder(t);
  const report = 'process.on("exit", () => console.error("peak:", process.resourceUsage().maxRSS))';
  const flags = ["--max-old-space-size=48", `--import=data:text/javascript,${report}`];
  for (const [format, before, middle, after] of [
    ["ndjson", petLine("a"), "x", `\n${petLine("b")}`],
    ["csv", 'name,categoryId\na,1\n"b', 'x"",\n', '",2\nc,3\n'],
  ] as const) {
    const env = { ...process.env, DATABASE_URL: url, TMPDIR: temporary };
    const args = [...flags, bin, "import", "-", "--skip-bad", "--format", format];
    const child = spawn(process.execPath, args, { env });
    const exit = once(child, "close");
    let error = "";
    child.stderr.on("data", (chunk) => {
      error += chunk;
    });
    child.stdin.write(before);
    const block = Buffer.from(middle.repeat(1_000_000 / middle.length));
    for (let n = 0; n < 100; n++) if (!child.stdin.write(block)) await once(child.stdin, "drain");
    t.same(readdirSync(temporary), [], "the temporary file is unlinked");
    child.stdin.end(after);
    t.same((await exit)[0], 0, error);
    t.match(error, new RegExp(`^(line 2|lines 3 to 20000003): it must have at most ${maxBytes} bytes$`, "m"));
    const peak = Number(/peak: (\d+)/.exec(error)?.[1]);
    t.ok(peak < 200_000, `${peak} kB`);
  }
  t.same(await readAllNames(url), ["a", "b", "a", "c"]);
});

t.test("Reads from pipes, and writes to pipes that are closed early and to full disks", async (t) => {
  const url = await stores.sqlite(t);
  const input = petLine("Rex").repeat(5_000);
  t.match(await petstoreOn(url, ["import", "-", "--format", "ndjson"], { input }), { status: 0 });
  const shell = (text: string) =>
    spawnSync("bash", ["-c", text], { env: { ...process.env, DATABASE_URL: url }, encoding: "utf8" });
  const petstore = `${process.execPath} ${bin}`;
  t.match(shell(`set -o pipefail; ${petstore} export | head -1`), {
    status: 0,
    stdout: '{"id":1,"name":"Rex","categoryId":1}\n',
    stderr: "",
  });
  t.match(shell(`${petstore} export > /dev/full`), {
    status: 1,
    stderr: /petstore: Can't write to standard output: ENOSPC/,
  });
  t.match(shell(`${petstore} import <(echo '{"name":"Tom","categoryId":1}') --format ndjson`), {
    status: 0,
    stdout: /^pets {14}1$/m,
  });
  t.match(shell(`${petstore} export --without-ids | ${petstore} import - --format ndjson`), {
    status: 0,
    stdout: /^pets {14}5001$/m,
  });
});
