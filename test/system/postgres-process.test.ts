// The PostgreSQL server of the tests ends with the process that started it, and leaves no process and no files.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { folder, root } from "../support/files.ts";
import { isRunning } from "../support/processes.ts";
import { until } from "../support/wait.ts";

/** Starts a process whose server has its files below a separate folder. */
function run(t: Test, ...args: string[]) {
  const files = folder(t);
  chmodSync(files, 0o711); // PostgreSQL runs as nobody if the tests run as root
  const { TEST_DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: root, env: { ...env, TMPDIR: files }, stdio: "ignore" });
  t.teardown(() => child.kill("SIGKILL"));
  const listServers = () => readdirSync(files).filter((name) => name.startsWith("petstore-postgres-"));
  const findPid = () =>
    until(
      () => {
        const [server] = listServers();
        const file = join(files, String(server), "data/postmaster.pid");
        const [pid, , , , , , , status] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
        return status?.startsWith("ready") ? Number(pid) : undefined;
      },
      () => "the server does not start",
    );
  const isRemoved = () =>
    until(
      () => (listServers().length === 0 ? true : undefined),
      () => `${listServers()} is still there`,
    );
  return { child, files, findPid, isRemoved, listServers };
}

const script = `const { startPostgres } = await import("./test/support/postgres.ts");
  await startPostgres();
  console.log("started");`;

t.test("ends if its test is killed", async (t) => {
  const { child, findPid, isRemoved } = run(t, "--input-type=module", "-e", script);
  const pid = await findPid();
  t.ok(isRunning(pid), "the server runs");
  child.kill("SIGKILL");
  await isRemoved();
  t.notOk(isRunning(pid));
});

t.test("ends if its test is killed before the server has started", async (t) => {
  const { child, isRemoved, listServers } = run(t, "--input-type=module", "-e", script);
  await until(
    () => (listServers().length > 0 ? true : undefined),
    () => "the supervisor does not start",
  );
  child.kill("SIGKILL");
  await isRemoved();
});

for (const signal of ["SIGKILL", "SIGTERM"] as const)
  t.test(`ends if the test runner receives ${signal}`, async (t) => {
    // In the project: the runner writes the results of a file outside of it beside the project.
    const place = mkdtempSync(join(root, ".tap/slow-"));
    t.teardown(() => rmSync(place, { recursive: true }));
    const test = join(place, "slow.test.ts");
    const askForDatabase = 'net.connect(Number(process.env.TEST_DATABASE_PORT), "127.0.0.1").resume()';
    writeFileSync(test, `import net from "node:net"; ${askForDatabase}; setTimeout(() => {}, 20_000);`);
    const { child, findPid, isRemoved } = run(t, "scripts/test.ts", "fast", test);
    const pid = await findPid();
    t.ok(isRunning(pid), "the server runs");
    child.kill(signal);
    await isRemoved();
    t.notOk(isRunning(pid));
  });
