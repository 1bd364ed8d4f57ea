// Parses the files that deploy a service: those of the Pet Store, and those for a service of one's own.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type Copy, DockerfileParser, type Instruction } from "dockerfile-ast";
import { parse, parseAllDocuments } from "yaml";
import { openApiServer } from "../../src/command/inputs/config.ts";
import { petStore } from "../../src/pets/index.ts";
import { readSettings, type SettingsProgram } from "../../src/settings/index.ts";
import { root } from "./files.ts";

/** Reads a file of the project. */
export const read = (name: string) => readFileSync(join(root, name), "utf8");

/** The content of package.json. */
export const project = JSON.parse(read("package.json"));

/** Returns the arguments of an instruction of a Dockerfile. */
export const words = (one: Instruction | undefined) => (one?.getArguments() ?? []).map((word) => word.getValue());

/** Returns the stage that an instruction copies from; undefined if it copies from the build context. */
export const stageOf = (copy: Copy) => copy.getFromFlag()?.getValue() ?? undefined;

/** The files of a folder that deploy the service with a name. */
export type Deployment = ReturnType<typeof readDeployment>;

function readDeployment(folder: string, name: string, program: SettingsProgram) {
  const readOwn = (file: string) => read(`${folder}/${file}`);
  const compose = parse(readOwn("compose.yaml"));
  const objects = parseAllDocuments(readOwn("kubernetes.yaml")).map((one) => one.toJS());
  const findObject = (kind: string, own = name) =>
    objects.find((one) => one.kind === kind && one.metadata.name === own);
  const deployment = findObject("Deployment");
  const dockerfile = DockerfileParser.parse(readOwn("Dockerfile"));
  const instructions = (keyword: string) => dockerfile.getInstructions().filter((one) => one.getKeyword() === keyword);
  const last = (keyword: string) => instructions(keyword).at(-1);
  return {
    folder,
    name,
    /** Reads one of the files. */
    read: readOwn,
    /** The prefix of the variables of the service. */
    prefix: program.variablePrefix,
    /** Parses settings of the service. */
    readConfig: (env: NodeJS.ProcessEnv) => readSettings(program, { env }),
    compose,
    /** The service in compose.yaml. */
    composed: compose.services[name],
    /** The objects of kubernetes.yaml. */
    objects,
    /** Returns the object with this kind and name, by default that of the service. */
    findObject,
    deployment,
    /** The container of the deployment. */
    container: deployment.spec.template.spec.containers[0],
    /** The pod of the backup. */
    backupPod: findObject("CronJob", `${name}-backup`).spec.jobTemplate.spec.template,
    /** The units of systemd: the service, its backup and the timer. */
    units: ["", "-backup"].map((end) => `${name}${end}.service`).concat(`${name}-backup.timer`),
    /** Returns the values of a setting of a unit. */
    unitValues: (unit: string, setting: string) =>
      [
        ...readOwn(unit)
          .replaceAll(/\\\n */g, "")
          .matchAll(/^(\w+)=(.*)$/gm),
      ]
        .filter(([, one]) => one === setting)
        .map(([, , value = ""]) => value),
    /** The variables of the units. */
    unitEnvironment: parseEnv(readOwn(`${name}.env`)) as Record<string, string>,
    dockerfile,
    /** Returns the last instruction of the Dockerfile with the keyword. */
    last,
    /** Returns the arguments of the last instruction with the keyword, in exec form: `CMD ["node", "…"]`. */
    exec: (keyword: string): string[] =>
      JSON.parse(/\[.*\]/s.exec(last(keyword)?.getRawArgumentsContent() ?? "")?.[0] ?? "[]"),
    /** The variables that the image sets. */
    environment: Object.fromEntries(
      instructions("ENV")
        .flatMap((one) => words(one))
        .map((word) => word.split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>,
  };
}

/** The files of the Pet Store. */
export const petStoreFiles = readDeployment("deploy", "petstore", petStore);

/** The files for a document of one's own. */
export const ownFiles = readDeployment("examples/deploy", "service", openApiServer);
