// Examines the body of an operation that makes or changes a record: whether it has all that a record consists of.
import type { Operation, SchemaNode } from "../../openapi/application.ts";
import { bodySchema, bodyTypesOf, changeSchema, isPatchType, parametersOf } from "./operation-parts.ts";
import { RecordMaker } from "./record/record-maker.ts";
import { RecordSchema, type SchemaPlace } from "./record/record-schema.ts";
import type { Resource } from "./resource.ts";
import { findShownRecords } from "./responses/response-frame.ts";
import type { Doubts, OperationKind } from "./standard-operation.ts";

/** The media types of JSON Merge Patch (RFC 7396), and of a body that looks like it. */
const patchTypes = ["application/merge-patch+json", "application/json"] as const;

const jsonPatch = "application/json-patch+json"; // RFC 6902, which is no schema of a record

/** What a request has of a record. */
export interface ExaminedBody {
  /** Makes the members that no request has; undefined if there are none. */
  readonly maker: RecordMaker | undefined;
  /** The member of the body that has the record; undefined if it is the body itself. */
  readonly bodyMember: string | undefined;
  /** The members of the body that select what a response has, or whether anything is changed. */
  readonly controls: readonly string[];
}

const controlNames = /^(expand|fields|include|embed|dry_?run|validate_?only)$/i;

/** Examines the body of one operation. */
export class BodyExamination {
  readonly #kind: OperationKind;
  readonly #operation: Operation;
  readonly #resource: Resource;
  readonly #doubts: Doubts;
  #bodyMember: string | undefined;

  constructor(kind: OperationKind, operation: Operation, resource: Resource, doubts: Doubts) {
    this.#kind = kind;
    this.#operation = operation;
    this.#resource = resource;
    this.#doubts = doubts;
  }

  /** Returns what the body has of a record. Adds what is only likely, and what prevents an answer, to the doubts. */
  run(): ExaminedBody {
    const isNew = this.#kind === "create" || this.#kind === "replace";
    if (this.#kind === "update") this.#examinePatch();
    const maker = isNew ? this.#examineNew() : this.#updater();
    const controls = this.#findControls();
    const body = isNew ? bodySchema(this.#operation) : undefined;
    const required = body ? RecordSchema.of(this.#resource.record.document, body).required : [];
    const inPath = parametersOf(this.#operation.path);
    const needed = controls.find((name) => required.includes(name) && !inPath.includes(name));
    if (needed !== undefined) this.#doubts.refuse(`requires the property ${needed}, whose effect is not known`);
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
      this.#doubts.refuse("has no body of application/json with a schema");
      return undefined;
    }
    const body = this.#findBody(part);
    const unknown = body.propertyNames.find((name) => !record.propertyNames.includes(name));
    if (unknown !== undefined) this.#doubts.doubt(`takes the property ${unknown}, which the record does not have`);
    const secret = body.propertyNames.find((name) =>
      record.property(name).some(({ schema }) => schema.writeOnly === true),
    );
    if (secret !== undefined) this.#doubts.doubt(`takes the property ${secret}, which is write-only`);
    const isGiven = (name: string) => {
      const schemas = body.property(name).map(({ schema }) => schema);
      if (schemas.some(({ readOnly }) => readOnly === true)) return false; // a request can't have it
      return body.required.includes(name) || schemas.some((schema) => schema.default !== undefined);
    };
    const missing = record.required.find((name) => name !== collection.id && !isGiven(name));
    if (missing !== undefined)
      this.#doubts.doubt(`does not require the property ${missing}, which each record must have`);
    if (this.#doubts.certainty === "certain") return undefined;
    const maker = this.#createMaker(body);
    if (maker.opaque !== undefined)
      this.#doubts.refuse(`takes the property ${maker.opaque} in another form than the record has`);
    const { problem } = maker.createSample();
    if (problem)
      this.#doubts.refuse(
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
      const whole = this.#resource.withSampleId(members);
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
      const isKeptInPath = this.#kind === "replace" && this.#resource.operations.create === undefined;
      const hasId = member === undefined && body.propertyNames.includes(this.#resource.idName);
      if (hasId && (isKeptInPath || this.#kind === "create")) return body;
      if (isKeptInPath && this.#resource.idPath.length > 0) this.#doubts.doubt(reason);
      else this.#doubts.refuse(reason);
      return body;
    }
    this.#doubts.doubt(`takes the record as the property ${member.name}`);
    this.#bodyMember = member.name;
    return member.schema;
  }

  // Only the times of a change, and which members are kept.
  #updater(): RecordMaker | undefined {
    if (this.#doubts.certainty === "certain" || this.#kind !== "update") return undefined;
    const part = changeSchema(this.#operation);
    return part && this.#createMaker(this.#findBody(part));
  }

  // The contents of a patch that are like a record.
  #patchContents() {
    const contents = this.#operation.part.at("requestBody")?.membersOf("content") ?? [];
    return contents.filter(([type]) => isPatchType(type) && type !== jsonPatch);
  }

  #examinePatch(): void {
    const { record } = this.#resource;
    if (this.#operation.method === "POST") this.#doubts.doubt("is a POST of a record, which can be an action");
    const types = bodyTypesOf(this.#operation);
    const [other] = types.filter((type) => !(patchTypes as readonly string[]).includes(type));
    const reason = `has ${other === undefined ? "no body" : `a body of ${other}`}, and not of ${patchTypes.join(" or ")}`;
    if (!types.some(isPatchType)) this.#doubts.refuse(reason);
    else if (other !== undefined) this.#doubts.doubt(reason);
    for (const [type, content] of this.#patchContents()) {
      const part = content.at("schema");
      const body = part && this.#findBody(part);
      const unknown = body?.propertyNames.find((name) => !record.propertyNames.includes(name));
      if (unknown !== undefined) this.#doubts.doubt(`takes the property ${unknown}, which the record does not have`);
      const nullable = body?.propertyNames.find((name) => allowsNull(body.property(name)));
      if (nullable !== undefined && type === "application/json")
        this.#doubts.doubt(
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
