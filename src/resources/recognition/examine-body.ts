// Examines the body of an operation that makes or changes a record: whether it has all that a record consists of.
import type { Operation, SchemaNode } from "../../openapi/index.ts";
import { RecordMaker } from "../record/record-maker.ts";
import { RecordSchema, type SchemaPlace } from "../record/record-schema.ts";
import type { AnsweredOperation, ExaminedOperation } from "./answered-operation.ts";
import { bodiesOf, bodySchema, changeSchema, isPatchType, parametersOf } from "./bodies-and-parameters.ts";
import { findShownRecords } from "./envelopes.ts";
import type { Resource } from "./resource.ts";

/** The media types of JSON Merge Patch (RFC 7396), and of a body that looks like it. */
const patchTypes = ["application/merge-patch+json", "application/json"] as const;

const jsonPatch = "application/json-patch+json"; // RFC 6902, which is no schema of a record

/** What a request has of a record. */
export type ExaminedBody = Pick<AnsweredOperation, "maker" | "bodyMember" | "controls">;

const controlNames = /^(expand|fields|include|embed|dry_?run|validate_?only)$/i;

/** Examines the body of one operation. */
export class BodyExamination {
  readonly #examined: ExaminedOperation;
  readonly #operation: Operation;
  readonly #resource: Resource;
  #bodyMember: string | undefined;

  constructor(examined: ExaminedOperation) {
    this.#examined = examined;
    this.#operation = examined.operation;
    this.#resource = examined.resource;
  }

  /** Returns what the body has of a record. Adds what is only likely, and what prevents an answer, to the doubts. */
  run(): ExaminedBody {
    const isNew = this.#examined.kind === "create" || this.#examined.kind === "replace";
    if (this.#examined.kind === "update") this.#examinePatch();
    const maker = isNew ? this.#examineNew() : this.#updater();
    const controls = this.#findControls();
    const body = isNew ? bodySchema(this.#operation) : undefined;
    const required = body ? RecordSchema.of(this.#resource.record.document, body).required : [];
    const inPath = parametersOf(this.#operation.path);
    const needed = controls.find((name) => required.includes(name) && !inPath.includes(name));
    if (needed !== undefined) this.#examined.refuse(`requires the property ${needed}, whose effect is not known`);
    return { maker, bodyMember: this.#bodyMember, controls };
  }

  #findControls(): readonly string[] {
    const { record } = this.#resource;
    const part = changeSchema(this.#operation);
    const names = part ? RecordSchema.of(record.document, part).propertyNames : [];
    // If the record is a member of the body, the other members are options of the request, whose effect is not known.
    if (this.#bodyMember !== undefined) return names.filter((name) => name !== this.#bodyMember);
    return names.filter((name) => !record.propertyNames.includes(name) && controlNames.test(name));
  }

  // What is sent should be all that a record consists of, besides its id.
  #examineNew(): RecordMaker | undefined {
    const { record, collection } = this.#resource;
    const part = bodySchema(this.#operation);
    if (part === undefined) {
      this.#examined.refuse("has no body of application/json with a schema");
      return undefined;
    }
    const body = this.#findBody(part);
    const unknown = body.propertyNames.find((name) => !record.propertyNames.includes(name));
    if (unknown !== undefined) this.#examined.doubt(`takes the property ${unknown}, which the record does not have`);
    const secret = body.propertyNames.find((name) =>
      record.property(name).some(({ schema }) => schema.writeOnly === true),
    );
    if (secret !== undefined) this.#examined.doubt(`takes the property ${secret}, which is write-only`);
    const isGiven = (name: string) => {
      const schemas = body.property(name).map(({ schema }) => schema);
      if (schemas.some(({ readOnly }) => readOnly === true)) return false; // a request can't have it
      return body.required.includes(name) || schemas.some((schema) => schema.default !== undefined);
    };
    const missing = record.required.find((name) => name !== collection.id && !isGiven(name));
    if (missing !== undefined)
      this.#examined.doubt(`does not require the property ${missing}, which each record must have`);
    const maker = this.#createMaker(body);
    if (maker.opaque !== undefined)
      this.#examined.refuse(`takes the property ${maker.opaque} in another form than the record has`);
    const { problem } = maker.createSample();
    if (problem)
      this.#examined.refuse(
        `makes a record that does not match the schema: ${problem.path || "it"} ${problem.requirement}`,
      );
    return maker;
  }

  #createMaker(body: RecordSchema): RecordMaker {
    const { record } = this.#resource;
    const validate = record.createValidator("response");
    let known: readonly RecordSchema[] | undefined;
    const shown = () => (known ??= findShownRecords(this.#resource));
    return new RecordMaker({ record, shown, body, id: this.#resource.idName }, (members) => {
      const whole = this.#resource.withExampleId(members);
      const problem = validate(whole).problem ?? findMisfit(shown(), whole);
      return problem ? { problem } : { value: members };
    });
  }

  // The schema of what a request has of a record: its body, or a member of it. One that has nothing of it would be lost.
  #findBody(place: SchemaPlace): RecordSchema {
    const { record } = this.#resource;
    const body = RecordSchema.of(record.document, place);
    // A body can repeat the id beside the member with the record.
    const isPart = ({ propertyNames }: RecordSchema) =>
      propertyNames.some((name) => record.propertyNames.includes(name) && name !== this.#resource.idName);
    if (isPart(body) || body.propertyNames.length === 0) return body;
    const members = body.propertyNames.flatMap((name) => {
      const schema = body.member(name);
      return schema && isPart(schema) ? [{ name, schema }] : [];
    });
    const [member] = members;
    if (member === undefined || members.length > 1) {
      // A PUT that creates a record has its id at least, such as the name of a secret.
      const reason = "takes no property of the record";
      const isKeptInPath = this.#examined.kind === "replace" && this.#resource.operations.create === undefined;
      const hasId = member === undefined && body.propertyNames.includes(this.#resource.idName);
      if (hasId && (isKeptInPath || this.#examined.kind === "create")) return body;
      if (isKeptInPath && this.#resource.idPath.length > 0) this.#examined.doubt(reason);
      else this.#examined.refuse(reason);
      return body;
    }
    this.#examined.doubt(`takes the record as the property ${member.name}`);
    this.#bodyMember = member.name;
    return member.schema;
  }

  // Only the times of a change, and which members are kept.
  #updater(): RecordMaker | undefined {
    if (this.#examined.kind !== "update") return undefined;
    const part = changeSchema(this.#operation);
    return part && this.#createMaker(this.#findBody(part));
  }

  #examinePatch(): void {
    const { record } = this.#resource;
    if (this.#operation.method === "POST") this.#examined.doubt("is a POST of a record, which can be an action");
    const bodies = bodiesOf(this.#operation);
    const types = bodies.map(([type]) => type);
    if (!types.some(isPatchType))
      this.#examined.refuse(
        `has ${types[0] === undefined ? "no body" : `a body of ${types[0]}`}, and not of ${patchTypes.join(" or ")}`,
      );
    for (const [type, content] of bodies) {
      if (!isPatchType(type) || type === jsonPatch) continue; // not like a record
      const part = content.at("schema");
      const body = part && this.#findBody(part);
      const unknown = body?.propertyNames.find((name) => !record.propertyNames.includes(name));
      if (unknown !== undefined) this.#examined.doubt(`takes the property ${unknown}, which the record does not have`);
      const nullable = body?.propertyNames.find((name) => allowsNull(body.property(name)));
      if (nullable !== undefined && type === "application/json")
        this.#examined.doubt(
          `allows null for the property ${nullable}, which could remove it or set it: in ${patchTypes[0]}, it removes it`,
        );
    }
  }
}

// Returns why a record can't be part of the other responses that show it, whose schemas differ; undefined if it can.
function findMisfit(schemas: readonly RecordSchema[], record: object) {
  for (const schema of schemas) {
    const missing = schema.required.find((name) => !Object.hasOwn(record, name));
    if (missing !== undefined)
      return { path: "", requirement: `must have the field '${missing}', as in other responses` };
    const wrong = Object.entries(record).find(
      ([name, value]) => schema.propertyNames.includes(name) && !schema.accepts(name, value),
    );
    if (wrong) return { path: wrong[0], requirement: `must match the schema ${schema.name ?? schema.pointer}, too` };
  }
  return undefined;
}

function allowsNull(schemas: readonly SchemaNode[]): boolean {
  return schemas.some(({ schema }) => [schema.type].flat().includes("null"));
}
