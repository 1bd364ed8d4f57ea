// Runs the shell examples of README.md and docs/, in order, in a copy of the project for each page. If the
// next block is json, text, console or http, the output must match it. "…" matches any text, and a line "…" any lines. An
// example with the info string `sh skip: reason` does not run. One with `sh fails` must fail, with this output on standard
// error.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import t, { type Test } from "tap";
import { redact } from "../../src/lib/redaction.ts";
import { emptyDatabase } from "../support/databases.ts";
import { copyProject, folder, root } from "../support/files.ts";
import { freePort } from "../support/port.ts";
import { type Server, startServer } from "../support/processes.ts";

interface Example {
  readonly script: string;
  /** The reason why the example does not run. */
  readonly skip: string | undefined;
  /** Whether the example must fail. */
  readonly fails: boolean;
  /** The block that shows the output. */
  readonly output: { readonly language: string; readonly text: string } | undefined;
}

const isStart = /^((?:\w+=\S+ +)*)npm start$/m; // runs until the next start, or until the end of the page
// An example must not change the machine on which the tests run.
const outside =
  /(^|[\s=>'"(])\/(bin|etc|lib|mnt|opt|root|run|srv|usr|var)\/|\b(apt-get|docker|kubectl|sudo|systemctl)\b/;

const pages = ["README.md", ...globSync("docs/*.md", { cwd: root }).sort()];
const counts = { run: 0, skipped: 0 };

t.setTimeout(600_000); // milliseconds, for all pages together

for (const page of pages) {
  const examples = readExamples(readFileSync(join(root, page), "utf8"));
  if (examples.length === 0) continue;
  t.test(`The shell examples of ${page} run, with the output that it shows`, async (t) => {
    const shell = await createShell(t, examples);
    for (const example of examples) {
      const name = example.script.split("\n")[0] as string;
      if (example.skip !== undefined) {
        counts.skipped += 1;
        t.pass(name, { skip: example.skip });
      } else if (outside.test(example.script)) {
        t.fail(`${name}: changes the machine; mark it as \`sh skip: reason\``);
      } else {
        counts.run += 1;
        const { status, stdout, stderr } = await shell(example.script);
        if (!t.equal(status !== 0, example.fails, name)) t.comment(redact(stdout + stderr));
        const text = example.fails ? stderr : stdout;
        if (example.output) t.match(normalize(text, example.output.language), toPattern(example.output), name);
      }
    }
  });
}

t.test("The examples that do not run are counted", async (t) => {
  t.comment(`${counts.run} examples ran, ${counts.skipped} were skipped`);
  t.ok(counts.run > 0);
});

function readExamples(page: string): Example[] {
  const blocks = [...page.matchAll(/^( *)```(\S*) *([^\n]*)\n(.*?)\n\1```$/gms)].map((match) => {
    const [block, indent = "", language = "", info = "", text = ""] = match;
    const dedented = text.replaceAll(`\n${indent}`, "\n").trim();
    return { language, info, text: dedented, start: match.index, end: match.index + block.length };
  });
  return blocks.flatMap(({ language, info, text, end }, index) => {
    if (language !== "sh" && language !== "bash") return [];
    const skip = /^skip: (.+)$/.exec(info)?.[1];
    const fails = info === "fails";
    if (info !== "" && !fails && skip === undefined)
      throw new Error(`the info string of an example is not "skip: REASON" or "fails": ${info}`);
    const next = blocks[index + 1];
    const follows = next !== undefined && page.slice(end, next.start).trim() === "";
    return {
      script: text,
      skip,
      fails,
      output: follows && /^(json|text|console|http)$/.test(next.language) ? next : undefined,
    };
  });
}

// Whitespace is not significant in JSON. HTTP ends lines with CRLF.
function normalize(text: string, language: string): string {
  return language === "json" ? text.replaceAll(/\s/g, "") : text.replaceAll("\r", "").trim();
}

function toPattern({ language, text }: { language: string; text: string }): RegExp {
  const escaped = normalize(text, language).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll(/^…$/gm, "[^]*").replaceAll("…", ".*")}$`);
}

/**
 * Returns a function that runs a script in a copy of the project. Variables and the folder carry over to the next
 * script. Starts the service first if no example does. Replaces the port, databases and `psk_…` in scripts.
 */
async function createShell(t: Test, examples: readonly Example[]) {
  const place = folder(t);
  copyProject(place);
  const scripts = examples.filter(({ skip }) => skip === undefined).map(({ script }) => script);
  if (!scripts.some((script) => script.includes("npm ci")))
    symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  const port = `${await freePort()}`;
  const databases = new Map<string, string>();
  for (const [url] of scripts.join("\n").matchAll(/postgres:\/\/[^\s'")]+/g))
    if (!databases.has(url)) databases.set(url, await emptyDatabase(t));

  const state = join(folder(t), "state");
  const path = (process.env.PATH ?? "").split(delimiter).filter((name) => !name.startsWith(root));
  // Without the variables of npm and tap. Packages come from the cache that the installation has filled.
  const prelude = `unset NODE_OPTIONS \${!npm_*}; PATH='${path.join(delimiter)}'
    export npm_config_prefer_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
    if [ -f ${state} ]; then . ${state}; else cd ${place}; fi; export PORT=${port}; set -eo pipefail;`;
  let key = "psk_…";
  let server: Server | undefined;
  const findKey = (text: string) => {
    key = /psk_[\w-]{43}/.exec(text)?.[0] ?? key;
  };
  const run = async (text: string) => {
    const script = [...databases]
      .reduce((before, [url, database]) => before.replaceAll(url, database), text)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`)
      .replaceAll("psk_…", key);
    const save = `export -p > ${state}; echo "cd '$PWD'" >> ${state}`;
    const result = spawnSync("bash", ["-c", `${prelude}\n${script}\n${save}`], { encoding: "utf8", timeout: 200_000 });
    findKey(result.stdout);
    const showDefaults = (text: string) => text.replaceAll(new RegExp(`(127.0.0.1:|port )${port}`, "g"), "$13000");
    return { ...result, stdout: showDefaults(result.stdout), stderr: showDefaults(result.stderr) };
  };
  const serve = async (variables: string) => {
    await server?.end("SIGTERM");
    const command = ["bash", "-c", `${prelude}\nexec env ${variables} npm start`];
    server = await startServer(t, { PORT: port, RATE_LIMIT: "" }, command, place);
    findKey(server.out.stderr);
  };
  if (!scripts.some((script) => isStart.test(script.replaceAll("&& ", "\n")))) {
    await run("npx petstore keys create docs --operator --yes");
    await serve("");
  }
  return async (script: string) => {
    const [before = "", variables] = script.replace(/ *&& (?=npm start$)/, "\n").split(isStart);
    const result = await run(before);
    if (variables !== undefined && result.status === 0) await serve(variables);
    return result;
  };
}
