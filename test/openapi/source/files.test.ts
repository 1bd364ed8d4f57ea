// From which folders the files of a document are read.
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import t, { type Test } from "tap";
import { createServer } from "../../../src/index.ts";
import { readDocument } from "../../../src/openapi/document/document.ts";
import { listDocumentFiles } from "../../../src/openapi/source/load.ts";
import { writeFiles } from "../../support/files.ts";

const secret = "type: object\nproperties: { password: { type: string } }\n";
const documentTo = (...references: string[]) =>
  `openapi: 3.1.0\ninfo: { title: Test, version: "1" }\npaths: {}\ncomponents:\n  schemas:\n${references
    .map((reference, index) => `    S${index}: { $ref: ${JSON.stringify(reference)} }\n`)
    .join("")}`;

/** Writes a document to the folder `api` of a new folder, beside which is the folder `other` with a secret. */
function write(t: Test, ...references: string[]): { path: string; other: string } {
  const path = writeFiles(t, { "api/api.yaml": documentTo(...references), "other/secret.yaml": secret });
  return { path, other: join(dirname(dirname(path)), "other") };
}

t.test("A reference that leaves the folder of the document is an error, and the file is not read", async (t) => {
  const { other } = write(t);
  const file = join(other, "secret.yaml");
  for (const reference of [
    "../other/secret.yaml",
    "./../other/./secret.yaml#/properties",
    "%2e%2e/other/secret.yaml",
    "../api2/secret.yaml",
    file,
    `${pathToFileURL(file)}`,
    "../other/none.yaml",
  ]) {
    const { path } = write(t, reference);
    const outside = /The reference \S+ to \S+\.yaml leaves the folder of the document: .*allow it with --allow-folder /;
    await t.rejects(readDocument(path), { message: outside }, reference);
    const { content, findings } = await readDocument(path, { strict: false });
    t.notMatch(JSON.stringify(content), /password/, reference);
    t.same([...findings.rules], ["reference:outside"], "once");
    t.same(await listDocumentFiles(path), [path]);
  }
});

t.test("The error names all that is needed to allow it, once for each folder", async (t) => {
  const { path, other } = write(t, "../other/secret.yaml#/properties/password", "../other/secret.yaml");
  const { message } = await readDocument(path).then(
    () => ({ message: "" }),
    (error: Error) => error,
  );
  for (const part of [
    `The reference ../other/secret.yaml#/properties/password to ${other}/secret.yaml leaves the folder of the document`,
    `allow it with --allow-folder ${other}, or the option allowedFolders: ["${other}"]`,
    `api.yaml:6:11, and 1 more, such as ${path}:7:11) [reference:outside]`,
  ])
    t.ok(message.includes(part), part);
  const { content } = await readDocument(path, { allowedFolders: [other] });
  t.match(JSON.stringify(content), /password/);
});

t.test("A symbolic link leads out of a folder, and one to the folder of the document does not", async (t) => {
  const { path, other } = write(t, "link/secret.yaml", "link.yaml");
  symlinkSync(other, join(dirname(path), "link"));
  symlinkSync(join(other, "secret.yaml"), join(dirname(path), "link.yaml"));
  await t.rejects(readDocument(path), { message: /The reference link\/secret\.yaml to \S+ leaves the folder/ });
  await t.resolves(readDocument(path, { allowedFolders: [other] }));
  // As Kubernetes mounts the files of a ConfigMap.
  const mounted = writeFiles(t, { "..2030/api.yaml": documentTo("a.yaml"), "..2030/a.yaml": secret });
  const folder = dirname(dirname(mounted));
  symlinkSync("..2030", join(folder, "..data"));
  for (const name of ["api.yaml", "a.yaml"]) symlinkSync(join("..data", name), join(folder, name));
  await t.resolves(readDocument(join(folder, "api.yaml")));
});

t.test(
  "What an allowed file refers to is in these folders as well, and their order and form do not matter",
  async (t) => {
    const path = writeFiles(t, {
      "api/api.yaml": documentTo("../shared/a.yaml"),
      "shared/a.yaml": "items: { $ref: ../third/b.yaml }\n",
      "third/b.yaml": "type: string\n",
    });
    const folder = dirname(dirname(path));
    const [shared, third] = [`${folder}/shared/`, relative(process.cwd(), `${folder}/third`)];
    await t.rejects(readDocument(path, { allowedFolders: [shared] }), { message: /third\/b\.yaml leaves the folder/ });
    await t.resolves(readDocument(path, { allowedFolders: [third, shared] }));
    await t.resolves(readDocument(path, { allowedFolders: [folder, "none"] }));
    mkdirSync(`${folder}/sha`);
    await t.rejects(
      readDocument(path, { allowedFolders: [`${folder}/sha`] }),
      { message: /shared/ },
      "a part of a name",
    );
  },
);

t.test("A server publishes nothing that is outside", async (t) => {
  const { path } = write(t, "../other/secret.yaml");
  const logger = pino({ level: "silent" });
  await t.rejects(createServer({ document: path, logger }), { message: /leaves the folder of the document/ });
  const app = await createServer({ document: path, mock: true, logger });
  t.notMatch((await app.inject({ url: "/openapi.json", headers: { host: "x" } })).payload, /password/);
  await app.close();
});

t.test("A parsed document refers to files in the working directory", async (t) => {
  const document = { openapi: "3.1.0", info: { title: "T", version: "1" }, paths: {} };
  const schemasOf = ($ref: string) => ({ ...document, components: { schemas: { A: { $ref } } } });
  await t.resolves(readDocument(schemasOf("openapi/petstore.yaml#/components/schemas/Pet")));
  await t.rejects(readDocument(schemasOf("/etc/passwd")), { message: /The reference \/etc\/passwd to \/etc\/passwd/ });
});
