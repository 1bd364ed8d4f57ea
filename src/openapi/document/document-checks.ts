// Walks the document: finds its schemas, and reports parts that the server would ignore although they promise a behavior.
import { findSimilarName } from "../../lib/index.ts";
import { isJsonSchema, isOpenApiDialect } from "../schema/dialect.ts";
import type { CheckOptions, ReportSchema, Schemas } from "../schema/schemas.ts";
import type { OpenApi } from "../source/document-types.ts";
import { dataKeywords, maps } from "../source/fields.ts";
import type { Report } from "../source/findings.ts";
import { escapeToken, Part } from "../source/part.ts";

type Json = Readonly<Record<string, unknown>>;

// The extensions that the server reads, with a field that is always beside them.
const extensions: Readonly<Record<string, { readonly beside: string; readonly owner: string }>> = {
  "x-deprecated-since": { beside: "responses", owner: "an operation" },
  "x-extensible-enum": { beside: "type", owner: "a schema with a type" },
  "x-max-bytes": { beside: "content", owner: "a requestBody" },
  "x-released": { beside: "version", owner: "info" },
  "x-stability": { beside: "responses", owner: "an operation" },
  "x-successor": { beside: "responses", owner: "an operation" },
  "x-sunset": { beside: "responses", owner: "an operation" },
};

/**
 * Walks the document once. Adds each schema to `schemas`, which checks it. Reports each part that would be ignored, with its
 * place. Returns the pointers of the media types, parameters and headers that have examples.
 */
export function checkDocument(document: OpenApi, schemas: Schemas, report: Report): readonly string[] {
  const { jsonSchemaDialect: dialect } = document as OpenApi & Json;
  if (typeof dialect === "string" && !isJsonSchema(dialect) && !isOpenApiDialect(dialect))
    report("dialect", "The document", `has the jsonSchemaDialect ${dialect}, which is read as JSON Schema 2020-12`, "");
  const walk = new Walk(Part.of(document), schemas, report);
  walk.visit(document, { owner: "The document", pointer: "", isMap: false });
  walk.visitTargets();
  walk.checkLinks();
  schemas.checkReferences({ report: toSchemaReport(report) });
  return walk.withExamples;
}

interface Location {
  /** The operation, or else the document: the subject of an error. */
  readonly owner: string;
  readonly pointer: string;
  /** Whether the fields are names that the author chooses. */
  readonly isMap: boolean;
}

class Walk {
  /** The pointers of the parts with a schema and examples. */
  readonly withExamples: string[] = [];
  readonly #root: Part;
  readonly #schemas: Schemas;
  readonly #report: Report;
  readonly #visited = new Set<string>(); // pointers
  readonly #targets = new Map<string, Part>(); // of references, by pointer
  readonly #links = new Map<unknown, string>(); // the pointers of Link Objects
  readonly #ids = new Set<string>(); // of operations

  constructor(root: Part, schemas: Schemas, report: Report) {
    this.#root = root;
    this.#schemas = schemas;
    this.#report = report;
  }

  visit(part: unknown, { owner: subject, pointer, isMap }: Location): void {
    if (typeof part !== "object" || part === null) return;
    this.#visited.add(pointer);
    const fields = part as Json;
    const isOperation = typeof fields.operationId === "string" && !this.#links.has(part);
    if (isOperation) this.#ids.add(`${fields.operationId}`);
    const owner = isOperation ? `The operation ${fields.operationId}` : subject;
    if (typeof fields.$ref === "string" && !isMap) this.#checkReference(fields, pointer, owner);
    const hasSchema = (fields.schema ?? fields.itemSchema) !== undefined;
    const hasExamples = fields.example !== undefined || fields.examples !== undefined;
    if (!isMap && hasSchema && hasExamples) this.withExamples.push(pointer);
    const isSchemas = isMap && pointer === "/components/schemas";
    for (const [name, value] of Object.entries(fields)) {
      const place = `${pointer}/${escapeToken(name)}`;
      if (isSchemas || (!isMap && (name === "schema" || name === "itemSchema"))) this.#addSchema(place, owner);
      else if (!isMap && name.startsWith("x-")) this.#checkExtension(name, fields, owner, pointer);
      // For example, `default` is also a response, and a header can have the name `examples`.
      else if (name === "links" && !isMap) this.#visitLinks(value, owner, place);
      else if (isMap || !(dataKeywords.test(name) || name === "examples"))
        this.visit(value, { owner, pointer: place, isMap: !isMap && maps.test(name) });
    }
  }

  #visitLinks(links: unknown, owner: string, pointer: string): void {
    for (const [name, link] of Object.entries(Object(links))) this.#links.set(link, `${pointer}/${escapeToken(name)}`);
    this.visit(links, { owner, pointer, isMap: true });
  }

  /** Reports the links to operations that do not exist. Call it when all parts are visited. */
  checkLinks(): void {
    for (const [link, pointer] of this.#links) {
      const { operationId: id } = Object(link) as Json;
      if (typeof id !== "string" || this.#ids.has(id)) continue;
      const similar = findSimilarName(id, this.#ids);
      const hint = similar === undefined ? "" : `: did you mean ${similar}?`;
      this.#report("link", "A link", `leads to the operation ${id}, which does not exist${hint}`, pointer);
    }
  }

  /** Visits the targets of references that are in an extension, which is else not a part of the document. */
  visitTargets(): void {
    for (const [pointer, { value }] of this.#targets)
      if (!this.#visited.has(pointer)) this.visit(value, { owner: "The document", pointer, isMap: false });
  }

  // A Reference Object can have only a summary and a description beside $ref.
  #checkReference(fields: Json, pointer: string, owner: string): void {
    const lost = Object.keys(fields).find((name) => !/^(\$ref|summary|description|x-.*)$/.test(name));
    if (lost) this.#report("siblings", owner, `has ${lost} beside $ref, which is ignored: remove it`, pointer);
    try {
      const target = this.#root.find(pointer).resolve();
      this.#targets.set(target.pointer, target);
    } catch (error) {
      this.#report("reference", `The reference ${fields.$ref}`, (error as Error).message, pointer);
    }
  }

  #addSchema(pointer: string, owner: string): void {
    const options: CheckOptions = {
      report: toSchemaReport(this.#report),
      onExtension: (name, fields, place) => this.#checkExtension(name, fields, owner, place),
    };
    this.#schemas.add(pointer, options);
  }

  #checkExtension(name: string, fields: Json, owner: string, pointer: string): void {
    const known = extensions[name];
    if (known === undefined || known.beside in fields) return;
    const reason = `has ${name} in a place where it has no effect: move it to ${known.owner}`;
    this.#report("extension", owner, reason, pointer);
  }
}

/** Creates the report of schemas. */
export function toSchemaReport(report: Report): ReportSchema {
  return (rule, pointer, reason) => report(rule, `The schema at ${pointer}`, reason, pointer);
}
