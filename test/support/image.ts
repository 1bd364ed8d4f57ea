// Runs the instructions of a Dockerfile in folders, so that tests of an image need no Docker daemon and no registry.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Copy } from "dockerfile-ast";
import type { Test } from "tap";
import { type Deployment, stageOf, words } from "./deploy.ts";
import { folder } from "./files.ts";

const isRoot = process.getuid?.() === 0;

/** An image, as a folder. */
export interface Image {
  /** The working folder of its last stage. */
  readonly app: string;
  /** The folder of its data. */
  readonly data: string;
  /** Its variables, without `PATH`. It listens on loopback, because it is not a container. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns a command that runs a program of the image as its user. */
  readonly command: (args: readonly string[]) => string[];
}

/** Builds the image of a Dockerfile: one folder for each stage. `context` has the files that it copies. */
export function buildImage(t: Pick<Test, "teardown">, files: Deployment, context: string): Image {
  const place = folder(t);
  chmodSync(place, 0o755);
  const stages = new Map<string, string>();
  let [image, app] = [place, place];
  for (const one of files.dockerfile.getInstructions()) {
    const [keyword, all] = [one.getKeyword(), words(one)];
    if (keyword === "FROM") {
      const [from = "", , name = "last"] = all;
      image = join(place, name);
      // The base image has the Node version of the tests.
      if (stages.has(from)) cpSync(stages.get(from) as string, image, { recursive: true });
      else mkdirSync(join(image, "bin"), { recursive: true });
      copyFileSync(process.execPath, join(image, "bin/node"));
      stages.set(name, image);
      app = join(image, "app");
    } else if (keyword === "WORKDIR") mkdirSync(join(image, all[0] as string), { recursive: true });
    else if (keyword === "COPY") {
      const stage = stageOf(one as Copy);
      const [to = "", ...from] = all.toReversed();
      const source = stage ? (stages.get(stage) as string) : context;
      for (const path of from.flatMap((name) => (name.includes("*") ? globSync(name, { cwd: source }) : name))) {
        const target = /\/$/.test(to) ? join(app, to, basename(path)) : join(app, to);
        cpSync(join(source, path), target, { recursive: true, verbatimSymlinks: true });
      }
    } else if (keyword === "RUN") {
      // Creates /data in the folder of the image. Only root can create folders of another user.
      const line = (one.getRawArgumentsContent() ?? "").replace(" /data", ` ${image}/data`);
      const command = isRoot ? line : line.replace(/ -[og] \d+/g, "");
      const env = { ...process.env, npm_config_prefer_offline: "true" };
      const { status, stderr } = spawnSync("sh", ["-c", command], {
        cwd: app,
        env,
        encoding: "utf8",
        timeout: 300_000,
      });
      if (status !== 0) throw new Error(`${line}: ${stderr}`);
    }
  }
  spawnSync("chmod", ["-R", "a-w", app]);
  t.teardown(() => spawnSync("chmod", ["-R", "u+w", app]));
  const volume = words(files.last("VOLUME"))[0] as string;
  const { PATH = "", ...environment } = files.environment;
  for (const [name, value] of Object.entries(environment))
    environment[name] = value.replace(volume, join(image, volume));
  environment[`${files.prefix}HOST`] = "127.0.0.1";
  const [uid, gid] = (words(files.last("USER"))[0] as string).split(":");
  const user = isRoot ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"] : [];
  const path = `${PATH.replace(/^\//, `${image}/`).replace("$PATH", "")}${image}/bin:/usr/bin:/bin`;
  // tap would measure coverage through NODE_OPTIONS, and write next to the source.
  const command = (args: readonly string[]) => [...user, "env", "NODE_OPTIONS=", `PATH=${path}`, ...args];
  return { app, data: join(image, volume), environment, command };
}
