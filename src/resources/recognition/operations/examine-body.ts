// Examines the body of an operation that makes or changes a record: whether it has all that a record consists of.
import { toJson } from "../../../lib/index.ts";
import type { Operation, SchemaNode } from "../../../openapi/index.ts";
import { spokenPartial } from "../../names/operation-names.ts";
import type { Sources } from "../../record/member-sources.ts";
import { type BodyPlan, RecordMaker } from "../../record/record-maker.ts";
import { RecordSchema, type SchemaPlace } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { itemSchemas } from "../../record/schema-nodes.ts";
import { bodiesOf, bodySchema, changeSchema, isPatchType } from "../bodies-and-parameters.ts";
import { findListed } from "../lists/filters.ts";
import { findOpaqueMember, planMembers } from "../made-members.ts";
import { parametersOf } from "../paths.ts";
import type { PlannedAction } from "../plan.ts";
import { findShownRecords } from "../responses/envelopes.ts";
import { findEmbedded, findRenamed } from "../responses/response-shape.ts";
import { createUrlFinder } from "../url-members.ts";
import { readOperationHint, refusal } from "../x-resource.ts";
import { findControls, findDescribed, findOwnMembers, responseOf } from "./body-controls.ts";
import type { ExaminedOperation } from "./examined-operation.ts";

/** The media types of JSON Merge Patch (RFC 7396), and of a body that looks like it. */
const patchTypes = ["application/merge-patch+json", "application/json"] as const;

const jsonPatch = "application/json-patch+json"; // RFC 6902, which is no schema of a record

/** Examines the body of one operation. */
export class BodyExamination {
  readonly #examined: ExaminedOperation;
  readonly #operation: Operation;
  readonly #resource: Resource;
  #member: string | undefined;
  #embedded: Readonly<Record<string, string>> = {};

  constructor(examined: ExaminedOperation) {
    this.#examined = examined;
    this.#operation = examined.operation;
    this.#resource = examined.resource;
  }

  /**
   * Returns what the body has of a record, and the names of its members that select what a response has, or whether anything is changed.
   * Adds what is only likely, and what prevents an answer, to the doubts.
   */
  run(): Pick<PlannedAction, "body" | "embedded" | "echoed"> & { readonly controls: readonly string[] } {
    const { kind } = this.#examined;
    const isNew = kind === "create" || kind === "replace";
    const body = isNew ? this.#examineNew() : kind === "update" ? this.#examineChange() : undefined;
    const controls = [
      ...findControls(this.#examined, this.#member, Object.values(body?.renamed ?? {})),
      ...(body ? findDescribed(this.#schemaOf({ pointer: body.schema }), body.created) : []),
    ];
    const sent = isNew || kind === "delete" ? bodySchema(this.#operation) : undefined;
    const required = sent ? this.#schemaOf(sent).required : [];
    const inPath = parametersOf(this.#operation.path);
    const needed = controls.find((name) => required.includes(name) && !inPath.includes(name));
    if (needed !== undefined) this.#examined.refuse(`requires the property ${needed}, whose effect is not known`);
    const names = isNew && sent ? this.#schemaOf(sent).propertyNames : [];
    if (this.#member === undefined && names.length > 0 && names.every((name) => controls.includes(name)))
      this.#examined.refuse("takes only properties whose effect is not known");
    const embedded = Object.keys(this.#embedded).length > 0 ? { embedded: this.#embedded } : {};
    return { body, controls, ...embedded, ...(body && this.#findEchoed(body, controls)) };
  }

  #findEchoed({ schema }: BodyPlan, controls: readonly string[]): Pick<PlannedAction, "echoed"> {
    const response = responseOf(this.#examined);
    const own = this.#resource.record.isClosed
      ? findOwnMembers(this.#examined, this.#schemaOf({ pointer: schema }))
      : [];
    const members = own.filter((name) => !controls.includes(name));
    return response && members.length > 0 ? { echoed: { members, schema: response.pointer } } : {};
  }

  // The other responses that show the record, and that of the operation, if it declares more of the body.
  #findShown(body: RecordSchema): readonly RecordSchema[] {
    const others = findShownRecords(this.#resource);
    const own = findOwnMembers(this.#examined, body).length > 0 ? responseOf(this.#examined) : undefined;
    const isRecord = own?.propertyNames.includes(this.#resource.idName) && !this.#resource.record.isClosed;
    return own && isRecord && !others.includes(own) ? [...others, own] : others;
  }

  // What is sent should be all that a record consists of, besides its id.
  #examineNew(): BodyPlan | undefined {
    const { record, collection } = this.#resource;
    const part = bodySchema(this.#operation);
    if (part === undefined) {
      this.#examined.refuse("has no body of application/json with a schema");
      return undefined;
    }
    const body = this.#findBody(part);
    if (itemSchemas(body.parts) !== undefined) this.#examined.refuse("takes an array, and not one record");
    this.#doubtUnknown(body);
    const isSecret = (name: string) => record.property(name).some(({ schema }) => schema.writeOnly === true);
    const renamed = Object.values(body.names);
    const secret = body.propertyNames.find((name) => !renamed.includes(name) && isSecret(name));
    if (secret !== undefined) this.#examined.doubt(`takes the property ${secret}, which is write-only`);
    const isGiven = (name: string) => {
      const schemas = body.property(name).map(({ schema }) => schema);
      if (schemas.some(({ readOnly }) => readOnly === true)) return false; // a request can't have it
      return body.required.includes(name) || schemas.some((schema) => schema.default !== undefined);
    };
    // A replacement keeps what it can't have.
    const isKept = this.#examined.kind === "replace" && this.#resource.plan.creation !== "replace";
    const isSaid =
      this.#examined.kind === "replace" && spokenPartial.test(`${Object(this.#operation.part.value).description}`);
    const isPartial = isSaid || (isKept && this.#isPartial(body));
    if (isPartial && !isSaid)
      this.#examined.doubt("requires no property, and keeps those that a request does not have");
    const canKeep = (name: string) => isPartial || !body.canHave(name);
    const given = isKept
      ? [...record.propertyNames.filter(canKeep), ...this.#examined.placed]
      : [...this.#examined.placed, ...Object.keys(this.#initial)];
    const missing = record.required.find((name) => name !== collection.id && !given.includes(name) && !isGiven(name));
    if (missing !== undefined)
      this.#examined.doubt(`does not require the property ${missing}, which each record must have`);
    const plan = this.#planBody(body, isPartial);
    if (this.#examined.kind === "create" && keepsNothing(this.#resource, body, plan))
      this.#examined.refuse("takes no property that a record keeps, so that all would be alike");
    this.#findEmbedded(body);
    const { problem } = new RecordMaker(this.#resource, plan).createSample(given, Object.keys(this.#embedded));
    if (problem)
      this.#examined.refuse(
        `makes a record that does not match the schema: ${problem.path || "it"} ${problem.requirement}`,
      );
    return plan;
  }

  #findEmbedded(body: RecordSchema): void {
    this.#embedded = findEmbedded(body, this.#resource, this.#examined.all);
    for (const [member, collection] of Object.entries(this.#embedded))
      this.#examined.doubt(`has the records of ${collection} whose ids a request has as ${body.ownName(member)}`);
    const opaque = findOpaqueMember(this.#resource.record, body, Object.keys(this.#embedded));
    if (opaque === undefined) return;
    this.#examined.refuse(`takes the property ${body.ownName(opaque)} in another form than the record has`);
  }

  // A PUT that requires nothing of what a POST requires changes some members, as the templates of FastAPI and Laravel do.
  #isPartial(body: RecordSchema): boolean {
    const { newRecord } = this.#resource;
    const created = (this.#member === undefined ? undefined : newRecord.member(this.#member)) ?? newRecord;
    const { record, idName } = this.#resource;
    // It can't replace a record without a member that each has, such as its type.
    const isPart = (name: string) =>
      body.propertyNames.includes(name) || (record.propertyNames.includes(name) && name !== idName);
    return body.required.length === 0 && created.required.some(isPart);
  }

  #planBody(body: RecordSchema, keepsAll = false): BodyPlan {
    const shown = this.#findShown(body);
    const { record, idName: id } = this.#resource;
    const isNew = this.#examined.kind !== "update";
    const listedAs = (name: string) => findListed(this.#resource, name);
    const { placed } = this.#examined;
    const urlOf = createUrlFinder(this.#resource);
    const { security } = this.#operation;
    const hasCaller = security.length > 0 && security.every((required) => required.length > 0);
    const members = planMembers(record, { body, shown, id, placed, isNew, keepsAll, hasCaller, listedAs, urlOf });
    const { owner } = this.#resource.plan;
    const ofCaller: Sources = owner ? { [owner.property]: { caller: true } } : {};
    const created = { ...members.created, ...(isNew && { ...ofCaller, ...this.#initial }) };
    for (const [member, name] of Object.entries(body.names))
      this.#examined.doubt(`takes the property ${name} as the id of ${member}`);
    return {
      ...members,
      created,
      ...(Object.keys(body.names).length > 0 && { renamed: body.names }),
      ...(owner && { kept: [...members.kept, owner.property] }),
      schema: body.pointer,
      member: this.#member,
      isPartial: !isNew || keepsAll,
      shown: shown.map(({ pointer }) => pointer),
    };
  }

  // The members of a new record that `x-resource` says.
  get #initial(): Sources {
    const { record } = this.#resource;
    const hint = readOperationHint(this.#operation);
    const initial = Object.entries((hint !== false && hint.initial) || {});
    for (const [name, value] of initial)
      if (!record.propertyNames.includes(name) || !record.accepts(name, value)) {
        const reason = `a record has no property ${name} that can be ${toJson(value)}`;
        throw refusal(`the operation ${this.#operation.id}`, reason);
      }
    return Object.fromEntries(initial.map(([name, value]) => [name, { value, because: "x-resource" }]));
  }

  // A schema of what a request has of a record, by the names of the record. What its path or the response has is no other name.
  #rename(body: RecordSchema): RecordSchema {
    const others = [
      ...findOwnMembers(this.#examined, body),
      ...parametersOf(this.#operation.path),
      ...(this.#resource.plan.private ?? []),
    ];
    return body.withNames(findRenamed(body, this.#resource, this.#examined.all, others));
  }

  #schemaOf(place: SchemaPlace): RecordSchema {
    return RecordSchema.of(this.#resource.record.document, place);
  }

  #doubtUnknown(body: RecordSchema): void {
    const { member } = this.#resource.plan.id;
    const others = [...Object.values(body.names), ...(member === undefined ? [] : [member])];
    const unknown = this.#resource.record.requestOnly(body, this.#findShown(body))?.findFirst(others);
    if (unknown !== undefined) this.#examined.doubt(`takes the property ${unknown}, which the record does not have`);
  }

  // The schema of what a request has of a record: its body, or a member of it. One that has nothing of it would be lost.
  #findBody(place: SchemaPlace): RecordSchema {
    const { record, idName, idPath, plan } = this.#resource;
    const body = this.#rename(this.#schemaOf(place));
    // A body can repeat the id beside the member with the record.
    const isPart = ({ propertyNames }: RecordSchema) =>
      propertyNames.some((name) => record.propertyNames.includes(name) && name !== idName);
    const isAny = body.parts.every(
      ({ schema }) => schema.type === undefined && schema.additionalProperties === undefined,
    );
    if (body.propertyNames.length === 0 && isAny && record.propertyNames.length > 0)
      this.#examined.refuse("takes any value, which can be a part of the record");
    if (isPart(body) || body.propertyNames.length === 0) return body;
    const members = body.propertyNames.flatMap((name) => {
      const inner = body.member(name);
      const schema = inner && this.#rename(inner);
      return schema && isPart(schema) ? [{ name, schema }] : [];
    });
    const [member] = members;
    if (member === undefined || members.length > 1) {
      // A PUT that creates a record has its id at least, such as the name of a secret.
      const reason = "takes no property of the record";
      const isKeptInPath = this.#examined.kind === "replace" && plan.creation === "replace";
      const hasId = member === undefined && body.propertyNames.includes(idName);
      if (hasId && (isKeptInPath || this.#examined.kind === "create")) return body;
      if (isKeptInPath && idPath.length > 0) this.#examined.doubt(reason);
      else this.#examined.refuse(reason);
      return body;
    }
    this.#examined.doubt(`takes the record as the property ${member.name}`);
    this.#member = member.name;
    return member.schema;
  }

  // Only the times of a change, and which members are kept.
  #examineChange(): BodyPlan | undefined {
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
      if (part === undefined) continue;
      const body = this.#findBody(part);
      this.#doubtUnknown(body);
      const { record } = this.#resource;
      const isUnclear = (name: string) => allowsNull(body.property(name)) && !record.accepts(name, null);
      const nullable = body.propertyNames.find(isUnclear);
      if (nullable !== undefined && type === "application/json")
        this.#examined.doubt(`allows null for the property ${nullable}, which the record does not: it removes it`);
    }
    const part = changeSchema(this.#operation);
    if (part === undefined) return undefined;
    const body = this.#findBody(part);
    this.#findEmbedded(body);
    return this.#planBody(body);
  }
}

// Whether a record has nothing that a request can choose beside its id: all that both declare is read-only, or has one value.
function keepsNothing({ record, idName }: Resource, body: RecordSchema, { unkept }: BodyPlan): boolean {
  const isChosen = (name: string) =>
    record.propertyNames.includes(name) &&
    body.canHave(name) &&
    !unkept.includes(name) &&
    ![record, body].some((one) => one.isConstant(name));
  // Such as the team that may run an action: each has another id.
  const isOfId = body.required.includes(idName) || body.propertyNames.every((name) => name === idName);
  return !isOfId && !body.propertyNames.some(isChosen);
}

function allowsNull(schemas: readonly SchemaNode[]): boolean {
  return schemas.some(({ schema }) => [schema.type].flat().includes("null"));
}
