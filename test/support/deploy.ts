// Parses the files of deploy/ for tests.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Copy, DockerfileParser, type Instruction } from "dockerfile-ast";
import { parse, parseAllDocuments } from "yaml";
import { root } from "./files.ts";

/** Reads a file of the project. */
export const read = (name: string) => readFileSync(join(root, name), "utf8");

/** The content of package.json. */
export const project = JSON.parse(read("package.json"));

/** The content of compose.yaml. */
export const compose = parse(read("deploy/compose.yaml"));

/** The objects of kubernetes.yaml. */
export const objects = parseAllDocuments(read("deploy/kubernetes.yaml")).map((one) => one.toJS());

/** Returns the object of kubernetes.yaml with this kind and name. */
export const findObject = (kind: string, name = "petstore") =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);

/** The deployment in kubernetes.yaml. */
export const deployment = findObject("Deployment");

/** The container of the deployment in kubernetes.yaml. */
export const [container] = deployment.spec.template.spec.containers;

/** The pod of the backup in kubernetes.yaml. */
export const backupPod = findObject("CronJob", "petstore-backup").spec.jobTemplate.spec.template;

/** Returns the values of a setting of a systemd unit. */
export const unitValues = (unit: string, name: string) =>
  [...read(`deploy/${unit}`).matchAll(/^(\w+)=(.*)$/gm)]
    .filter(([, one]) => one === name)
    .map(([, , value = ""]) => value);

/** The Dockerfile. */
export const dockerfile = DockerfileParser.parse(read("deploy/Dockerfile"));

/** Returns the arguments of an instruction of the Dockerfile. */
export const words = (one: Instruction | undefined) => (one?.getArguments() ?? []).map((word) => word.getValue());

/** Returns the last instruction of the Dockerfile with the keyword. */
export const last = (keyword: string) => dockerfile.getInstructions().findLast((one) => one.getKeyword() === keyword);

/** Returns the arguments of the last instruction with the keyword, in exec form: `CMD ["node", "…"]`. */
export const exec = (keyword: string): string[] =>
  JSON.parse(/\[.*\]/s.exec(last(keyword)?.getRawArgumentsContent() ?? "")?.[0] ?? "[]");

/** The variables that the image sets. */
export const environment = Object.fromEntries(words(last("ENV")).map((word) => word.split(/=(.*)/s).slice(0, 2)));

/** Returns the stage that an instruction copies from; undefined if it copies from the build context. */
export const stageOf = (copy: Copy) => copy.getFromFlag()?.getValue() ?? undefined;
