// The rules of .spectral.yaml. The linter of the `spectral` command runs in the process of the test.
import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import {
  addParameter,
  type Change,
  editDocument,
  findOperation,
  type Node,
  rename,
  setOperation,
  setParameter,
  setParameterSchema,
  setProperties,
  setSchema,
} from "../support/document.ts";
import { documentText, root } from "../support/files.ts";

interface Finding {
  code: string;
  message: string;
  severity: number;
}

// Loads the packages that the command uses, and its function that reads a ruleset.
const require = createRequire(createRequire(import.meta.url).resolve("@stoplight/spectral-cli/package.json"));
const { Spectral, Document } = require("@stoplight/spectral-core");
const { Yaml } = require("@stoplight/spectral-parsers");
const { getRuleset } = require("./dist/services/linter/utils/getRuleset.js");
const ruleset: { rules: Record<string, { enabled: boolean }> } = await getRuleset(join(root, ".spectral.yaml"));
const spectral = new Spectral();
spectral.setRuleset(ruleset);
const enabled = Object.entries(ruleset.rules).filter(([, rule]) => rule.enabled);

/** Lints a text in place of the document with all rules, except for the passing of a day. */
async function lintDocument(text: string): Promise<Finding[]> {
  const findings: Finding[] = await spectral.run(new Document(text, Yaml, join(root, "openapi/petstore.yaml")));
  return findings.filter(({ code }) => code !== "sunset-passed");
}

/** Lints a text with one rule, which is much faster. The overrides for locations of the document do not apply. */
function lint(text: string, only: string): Promise<Finding[]> {
  for (const [name, rule] of enabled) rule.enabled = name === only;
  return spectral.run(new Document(text, Yaml, "edited.yaml"));
}

const error = { $ref: "#/components/schemas/Error" };
const setErrorContent =
  (content: object): Change =>
  ({ components }) =>
    Object.assign(components.responses.ContentTooLarge, { content });

/** Changes that break one rule: the name of the rule, its message, and the changes. */
const broken: [rule: string, message: RegExp, ...changes: Change[]][] = [
  ["known-extensions", /x-sunest is unknown/, setOperation("getPet", { "x-sunest": "2030-12-05" })],
  ["deprecated-since", /a date like/, setOperation("getPet", { "x-deprecated-since": undefined })],
  ["deprecated-since", /a date like/, setOperation("getPet", { "x-deprecated-since": "2026-11-31" })],
  ["deprecated-sunset", /a date like/, setOperation("getPet", { "x-sunset": undefined })],
  ["deprecated-sunset", /a date like/, setOperation("getPet", { "x-sunset": "5 December 2030" })],
  ["deprecated-sunset", /2001-01-01 is before/, setOperation("getPet", { "x-sunset": "2001-01-01" })],
  ["deprecated-successor", /it is undefined/, setOperation("getPet", { "x-successor": undefined })],
  ["deprecated-successor", /it is findPets/, setOperation("getPet", { "x-successor": "findPets" })],
  ["deprecated-successor", /it is getPet/, setOperation("getPet", { "x-successor": "getPet" })],
  ["deprecated-true", /deprecated/, setOperation("getPet", { deprecated: undefined })],
  ...["Deprecation", "Sunset", "Link"].map((name): (typeof broken)[number] => [
    "deprecated-headers",
    new RegExp(name),
    (document) => Object.assign(findOperation(document, "getPet").responses["200"].headers, { [name]: undefined }),
  ]),
  [
    "deprecated-headers",
    /headers/,
    (document) => Object.assign(findOperation(document, "getPet").responses["200"], { headers: {} }),
  ],
  [
    "sunset-passed",
    /getPet, 2001-01-02, has passed/,
    setOperation("getPet", { "x-deprecated-since": "2001-01-01", "x-sunset": "2001-01-02" }),
  ],
  ["stability", /stable/, setOperation("getPet", { "x-stability": "stable" })],
  ["operation-operationId", /operationId/, setOperation("listPets", { operationId: undefined })],
  ["operation-id-camel-case", /camel/, setOperation("listPets", { operationId: "list_pets" })],
  ["operation-tags", /tags/, setOperation("listPets", { tags: undefined })],
  ["operation-tag-defined", /tags/, setOperation("listPets", { tags: ["Cats"] })],
  [
    "operation-unauthorized",
    /401/,
    (document) => Object.assign(findOperation(document, "listPets").responses, { 401: undefined }),
  ],
  [
    "operation-unauthorized",
    /WWW-Authenticate/,
    ({ components }) => rename(components.responses.Unauthorized.headers, "WWW-Authenticate", "X-Authenticate"),
  ],
  [
    "operation-unauthorized",
    /constant/,
    ({ components }) => Object.assign(components.headers["WWW-Authenticate"], { required: false }),
  ],
  [
    "error-responses",
    /has the schema Error/,
    setErrorContent({ "application/json": { schema: error }, "text/plain": { schema: { type: "string" } } }),
  ],
  [
    "error-responses",
    /has the schema Error/,
    (document) => Object.assign(findOperation(document, "getPet").responses, { 404: { description: "None." } }),
  ],
  [
    "error-responses",
    /has the schema Error/,
    setErrorContent({ "application/json": { schema: { $ref: "#/components/schemas/Pet" } } }),
  ],
  ["error-responses", /has the schema Error/, setErrorContent({ "application/json": { schema: { type: "object" } } })],
  ["error-responses", /has the schema Error/, setErrorContent({ "application/problem+json": { schema: error } })],
  ["error-responses", /example of each code/, setErrorContent({ "application/json": { schema: error } })],
  [
    "error-responses",
    /400 must have an example of each code/,
    (document) =>
      rename(
        findOperation(document, "listPets").responses["400"].content["application/json"].examples,
        "invalid_cursor",
        "cursor",
      ),
  ],
  [
    "path-parameter-camel-case",
    /camel/,
    ({ paths }) => rename(paths, "/pets/{petId}", "/pets/{pet-id}"),
    setParameter("getPet", "petId", { name: "pet-id" }),
  ],
  ["path-params", /petId/, setParameter("getPet", "petId", { name: "id" })],
  [
    "parameter-restricted",
    /A text parameter has a format, pattern/,
    addParameter("getPet", { name: "shoeSize", in: "query", schema: { type: "string", maxLength: 9 } }),
  ],
  [
    "oas3-valid-media-example",
    /equal to one of/,
    (document) => Object.assign(findCompleteExample(document), { status: "lost" }),
  ],
  ["oas3-valid-media-example", /integer/, setParameter("getPet", "petId", { example: "one" })],
  [
    "oas3-valid-media-example",
    /code/, // of an error
    setErrorContent({ "application/json": { schema: error, example: { message: "Not found.", status: 404 } } }),
  ],
  [
    "oas3-valid-media-example",
    /pattern/,
    ({ components }) => Object.assign(components.headers.Deprecation, { example: "1795132800" }),
  ],
  [
    "schema-examples",
    /pattern/,
    ({ components }) => Object.assign(components.schemas.Error.properties.code, { examples: ["1"] }),
  ],
  ["schema-examples", /must be <= \d+/, setParameterSchema("listPets", "limit", { examples: [2_147_483_647] })],
  ["schema-examples", /categoryId/, setSchema("NewPet", { examples: [{ name: "Rex" }] })],
  ["no-anonymous-alternative", /properties/, ({ security }) => security.push({})],
  ["no-anonymous-alternative", /properties/, setOperation("getPet", { security: [{ apiKey: [] }, {}] })],
  ["owasp:api2:2023-write-restricted", /secur/i, setOperation("createPet", { security: [] })],
  ["owasp:api4:2023-string-limit", /maxLength/, setProperties("Pet", { breed: { type: "string" } })],
  ["owasp:api4:2023-string-restricted", /pattern/, setProperties("Pet", { breed: { type: "string", maxLength: 9 } })],
  ["owasp:api4:2023-integer-limit", /maximum/, setParameterSchema("listPets", "limit", { maximum: undefined })],
  ["owasp:api4:2023-integer-limit", /minimum/, setParameterSchema("listPets", "limit", { minimum: undefined })],
];

function findCompleteExample(document: Node): Node {
  return findOperation(document, "createPet").requestBody.content["application/json"].examples.complete.value;
}

t.test("The document has no errors and no warnings", async (t) => {
  t.same(await lintDocument(documentText), []);
});

t.test("Accepts compatible additions at any place", async (t) => {
  const parameter = {
    name: "shoeSize",
    in: "query",
    description: "A size.",
    schema: { type: "string", maxLength: 9, pattern: "^[a-z]*$" },
  };
  const fields = {
    breed: { type: "string", maxLength: 100, pattern: "^[a-z]+$", description: "The breed." },
    ownerId: { type: "integer", format: "int64", description: "The owner." },
    isVaccinated: { type: "boolean", description: "Whether the pet is vaccinated." },
  };
  const changes = [addParameter("listPets", parameter), setProperties("NewPet", fields), setProperties("Pet", fields)];
  t.same(await lintDocument(editDocument(...changes)), []);
});

t.test("Reports a document that breaks a rule as an error, and a sunset that has passed as a warning", async (t) => {
  for (const [rule, message, ...changes] of broken) {
    const found = await lint(editDocument(...changes), rule);
    t.ok(
      found.some((finding) => message.test(finding.message)),
      `${rule} reports ${message}: ${found.map((finding) => finding.message).join("; ")}`,
    );
    t.equal(found.at(0)?.severity, rule === "sunset-passed" ? 1 : 0, `the severity of ${rule}`);
  }
});

t.test("Accepts a shared response that is not an error", async (t) => {
  const text = editDocument((document) => {
    const { responses } = findOperation(document, "getPet");
    document.components.responses.Found = responses["200"];
    responses["200"] = { $ref: "#/components/responses/Found" };
  });
  t.same(await lint(text, "error-responses"), []);
});
