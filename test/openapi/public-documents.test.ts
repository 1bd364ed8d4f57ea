// Documents of others, as npm has them: OpenAPI's own examples, and those of a tool. Each is served by default, in JSON and YAML.
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../src/index.ts";
import { readDocument } from "../../src/openapi/document/document.ts";
import { root } from "../support/files.ts";

const folder = join(root, "node_modules/@readme/oas-examples");
const logger = pino({ level: "silent" });

/** Why a document is refused: it contradicts itself. */
const refusals: Readonly<Record<string, RegExp>> = {
  "3.0/json/parameters-common.json": /has the same parameter twice/,
  "3.0/json/response-http-behavior.json": /requires the security scheme api_key, which is not declared/,
  "3.0/json/schema-validation.json": /has the default "TBD", which must have the format duration/,
  "3.1/json/schema-validation-local.json": /has the keyword "exclusiveMinimum", which must be a number/,
  "3.1/json/schema-validation-top-level.json": /has the keyword "exclusiveMinimum", which must be a number/,
};

/** What the mock server says about a response. */
const problems: Readonly<Record<string, RegExp>> = {
  "POST /direct": /must have the field 'id'/, // of a parent of a parent …
  "POST /multischema/of-everything": /exactly one of the alternatives of its schema, but matches/,
  "PUT /requestBody-primitive-example": /^The example cat does not match its schema/,
  "PATCH /requestBody-primitive-example": /^The example cat does not match its schema/,
};

for (const file of globSync("3.[01]/json/*.json", { cwd: folder }).sort())
  t.test(`Serves ${file}, and the same in YAML`, async (t) => {
    const path = join(folder, file);
    const refusal = refusals[file];
    if (refusal) await t.rejects(readDocument(path), { message: refusal });
    const { operations } = await readDocument(path, { strict: refusal && false });
    const yaml = path.replaceAll("json", "yaml");
    if (existsSync(yaml))
      t.same(
        (await readDocument(yaml, { strict: refusal && false })).operations.map(({ id }) => id),
        operations.map(({ id }) => id),
      );
    const app = await createServer({ document: path, mock: true, validateRequests: false, logger });
    t.teardown(() => app.close());
    for (const { method, path, template, part } of operations) {
      if (/[()]/.test(template.routerPath)) continue;
      const declared = Object.keys(part.value.responses ?? {});
      const url = template.routerPath.replace(/:\w+/g, "1") || "/";
      const { statusCode, headers } = await app.inject({ method: method as "GET", url, headers: { host: "x" } });
      t.ok(
        statusCode < 500 || statusCode === 501 || declared.includes(`${statusCode}`),
        `${method} ${url} ${statusCode}`,
      );
      t.match(headers["mock-problem"], problems[`${method} ${path}`], `${method} ${path}`);
    }
  });
