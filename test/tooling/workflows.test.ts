// The workflows of GitHub (.github/workflows): permissions, pinned actions, and the steps that build a release. actionlint
// checks their syntax (npm run lint).
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { copyProject, edit, folder, root } from "../support/files.ts";

interface Step {
  uses?: string;
  run?: string;
}
interface Job {
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  uses?: string;
  environment?: string;
  steps?: Step[];
}

const names = readdirSync(join(root, ".github/workflows"));
const texts = names.map((name) => readFileSync(join(root, ".github/workflows", name), "utf8"));
const workflows = texts.map((text) => parse(text));
const [ci, release] = workflows;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

t.test("Every action is pinned to a commit, with its version in a comment", async (t) => {
  t.same(names, ["ci.yml", "release.yml"]);
  const uses = texts.join("\n").match(/\buses: .*/g) ?? [];
  t.ok(uses.length > 5, `${uses.length} actions`);
  for (const one of uses) t.match(one, /^uses: (\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/, one);
});

t.test("Every workflow limits its permissions, duration and concurrency", async (t) => {
  for (const { permissions, concurrency, jobs } of workflows) {
    t.ok(["{}", '{"contents":"read"}'].includes(JSON.stringify(permissions)), "by default, reads at most the source");
    t.ok(concurrency.group);
    for (const [name, job] of Object.entries<Job>(jobs)) if (!job.uses) t.ok(job["timeout-minutes"], name);
  }
});

t.test("CI runs .ci/run on Node 20", async (t) => {
  const steps: Step[] = ci.jobs.check.steps;
  t.match(steps.at(-2), { uses: /^actions\/setup-node@/, with: { "node-version": 20 } });
  t.same(steps.at(-1), { run: ".ci/run" });
});

t.test("Only the job that runs no code of the project can publish", async (t) => {
  const jobs: Record<string, Job> = release.jobs;
  t.same(jobs.check, { permissions: { contents: "read" }, uses: "./.github/workflows/ci.yml" });
  t.same(jobs.build?.permissions, { contents: "read" });
  t.notMatch(JSON.stringify(jobs.build), /secrets\.|github\.token/);
  const { permissions, environment, steps = [] } = jobs.publish as Job;
  t.same(permissions, { contents: "write", "id-token": "write", attestations: "write" });
  t.equal(environment, "release");
  t.notOk(steps.some(({ uses }) => uses?.startsWith("actions/checkout@")));
});

t.test("The scripts are valid, and name no host of a registry", async (t) => {
  const scripts = workflows.flatMap(({ jobs }) =>
    Object.values<Job>(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? [])),
  );
  t.ok(scripts.length > 4, `${scripts.length} scripts`);
  for (const script of scripts) t.match(spawnSync("bash", ["-n"], { input: script }), { status: 0 }, script);
  t.notMatch(texts.join(), /https?:\/\//);
});

t.test(
  "The release workflow builds the packages, the service, and the list of its packages",
  { timeout: 240_000 },
  async (t) => {
    const place = folder(t);
    copyProject(place);
    const changelog = readFileSync(join(place, "CHANGELOG.md"), "utf8");
    writeFileSync(join(place, "CHANGELOG.md"), edit(changelog, [/^## Unreleased$/m, `## ${version}, 2026-11-30`]));
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...args], { cwd: place });
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message=release");
    symlinkSync(join(root, "node_modules"), join(place, "node_modules"));

    const path = (process.env.PATH ?? "").split(":").filter((name) => !name.includes("node_modules"));
    const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_OPTIONS$/i.test(name));
    const env = {
      ...Object.fromEntries(inherited),
      PATH: path.join(":"),
      npm_config_prefer_offline: "true",
      GITHUB_SERVER_URL: "https://git.example",
      GITHUB_REPOSITORY: "pets/petstore",
      GITHUB_REF_NAME: `v${version}`,
    };
    const run = (command: string, cwd = place) => spawnSync("bash", ["-ec", command], { cwd, env, encoding: "utf8" });
    const [install, ...steps] = (release.jobs.build.steps as Step[]).flatMap(({ run }) => run ?? []);
    t.equal(install, "npm ci");
    t.match(run(`npm run release -- v9.9.9`), { status: 1, stderr: /The tag must be v/ });
    // The packages for the other processor are not in the cache of npm.
    for (const step of steps) {
      const { status, stderr } = run(step.replace(/^npm run release .*/, `$& ${process.arch}`));
      t.equal(status, 0, `${step}: ${stderr}`);
    }

    const dist = join(place, "dist");
    const service = `petstore-${version}-linux-${process.arch}.tar.gz`;
    const packages = readdirSync(dist).filter((name) => name.endsWith(".tgz"));
    t.same(
      new Set(readdirSync(dist)),
      new Set([...packages, service, "petstore.cdx.json", "petstore.yaml", "SHA256SUMS", "CHANGES.md"]),
    );
    t.match(run("sha256sum --check --strict SHA256SUMS", dist), { status: 0, stdout: `${service}: OK` });
    t.match(readFileSync(join(dist, "CHANGES.md"), "utf8"), /^Version .*### Development/s);
    t.equal(JSON.parse(readFileSync(join(dist, "petstore.cdx.json"), "utf8")).bomFormat, "CycloneDX");
    t.equal(packages.length, 2);
    for (const name of packages) {
      const project = JSON.parse(run(`tar -xOf ${name} package/package.json`, dist).stdout);
      t.equal(project.repository.url, "git+https://git.example/pets/petstore.git", name);
    }

    const started = run(
      `tar -xzf ${service} && cd petstore-${version} &&
    node_modules/.bin/node src/bin.js --version && test ! -e node_modules/tap`,
      dist,
    );
    t.match(started, { status: 0, stdout: version }, started.stderr);
  },
);
