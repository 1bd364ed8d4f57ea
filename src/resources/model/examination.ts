// Examines whether a store can answer an operation: what is certain of its meaning, what is only likely, and what is not known.
import type { Operation, SchemaNode } from "../../openapi/application.ts";
import { findWildcards } from "./filters.ts";
import {
  actionOf,
  bodySchema,
  bodyTypesOf,
  changeSchema,
  isPatchType,
  queryOf,
  responseSchema,
} from "./operation-parts.ts";
import { pageRoleOf, readPageParameters } from "./page-parameters.ts";
import { RecordMaker } from "./record-maker.ts";
import { RecordSchema, type SchemaPlace, valueType } from "./record-schema.ts";
import type { Resource } from "./resource.ts";
import { findListFrame, findReceiptFrame, findRecordFrame, findShownRecords } from "./response-frame.ts";
import type { Certainty, OperationKind, StandardOperation } from "./standard-operation.ts";

// In order of preference.
const successes: Readonly<Record<OperationKind, readonly string[]>> = {
  list: ["200"],
  create: ["201", "200"],
  get: ["200"],
  replace: ["200", "204", "201", "202"],
  update: ["200", "204", "202"],
  delete: ["204", "200", "202"],
};

const knownHeaders = ["Idempotency-Key", "If-Match", "If-None-Match"];

/** The media types of JSON Merge Patch (RFC 7396), and of a body that looks like it. */
const patchTypes = ["application/merge-patch+json", "application/json"] as const;

const jsonPatch = "application/json-patch+json"; // RFC 6902, which is no schema of a record

/** Examines one operation: what prevents the store from answering it, and what is only likely. */
export class Examination {
  readonly #kind: OperationKind;
  readonly #operation: Operation;
  readonly #resource: Resource;
  readonly #certainty: Certainty;
  #reason: string | undefined;
  #bodyMember: string | undefined;

  constructor(kind: OperationKind, operation: Operation, resource: Resource, certainty: Certainty) {
    this.#kind = kind;
    this.#operation = operation;
    this.#resource = resource;
    this.#certainty = certainty;
  }

  /** Returns the operation, or why the store can't answer it. */
  run(): StandardOperation | string {
    const [kind, operation, resource] = [this.#kind, this.#operation, this.#resource];
    const success = this.#findSuccess();
    if (success === undefined) return this.#wrongSuccess();
    if (resource.isSingle) this.#doubt("is that of a single record, and not of a collection");
    if (!resource.hasUsualId) this.#doubt(`has no id with the name of the parameter ${resource.parameter}, or id`);
    const action = operation.method === "POST" ? actionOf(operation) : undefined;
    if (action !== undefined) this.#refuse(`has the name of an action: ${action}`);
    const refused = this.#findRefused();
    if (kind === "list") this.#examinePages();
    if (kind === "create") this.#examineId();
    const maker = kind === "create" || kind === "replace" ? this.#examineBody() : undefined;
    if (kind === "update") this.#examinePatch();
    const made = { maker: maker ?? this.#updater(), bodyMember: this.#bodyMember };
    return this.#reason ?? { kind, operation, resource, ...success, ...made, refused };
  }

  // The property with the id; a name that no property has if it is at a deeper place.
  get #idName(): string {
    return this.#resource.collection.id ?? "\0";
  }

  // The first reason is reported.
  #refuse(reason: string): void {
    this.#reason ??= reason;
  }

  #doubt(reason: string): void {
    if (this.#certainty === "certain") this.#refuse(reason);
  }

  // The first declared success must have the record, or no content.
  #findSuccess(): Pick<StandardOperation, "status" | "frames" | "list"> | undefined {
    const declared = this.#operation.part.at("responses");
    const usual = successes[this.#kind].find((one) => declared?.at(one) !== undefined);
    const status = usual ?? ["200", "201", "204"].find((one) => declared?.at(one) !== undefined);
    if (status === undefined) return undefined;
    if (usual === undefined || usual === "202") this.#doubt(this.#wrongSuccess());
    const { record } = this.#resource;
    const { document } = record;
    const schema = responseSchema(this.#operation, status);
    const base = { status: Number(status), frames: this.#findFrames(), list: undefined };
    if (this.#kind === "list") {
      const frame = schema && findListFrame(document, schema.pointer, record, this.#idName);
      if (frame === undefined) return undefined;
      if (!frame.isBare) this.#doubt(this.#wrongSuccess());
      const parameters = readPageParameters(this.#operation, record, this.#resource.sampleId);
      return { ...base, list: { frame, parameters, wildcards: findWildcards(this.#operation) } };
    }
    if (status === "204") return base;
    const hasContent = declared?.at(status)?.at("content") !== undefined;
    if (schema === undefined) {
      if (hasContent || this.#kind === "get") return undefined;
      this.#doubt(this.#wrongSuccess());
      return base;
    }
    if (!base.frames.has(Number(status))) return undefined;
    if (new RecordSchema(document, schema).pointer !== record.pointer) this.#doubt(this.#wrongSuccess());
    return base;
  }

  #findFrames(): StandardOperation["frames"] {
    const { record } = this.#resource;
    const isChange = this.#kind !== "get" && this.#kind !== "list";
    const found = [200, 201, 202].flatMap((status) => {
      const schema = responseSchema(this.#operation, `${status}`);
      if (schema === undefined) return [];
      const frame =
        findRecordFrame(record.document, schema.pointer, record, this.#idName) ??
        (this.#certainty === "likely" && isChange
          ? findReceiptFrame(record.document, schema.pointer, this.#idName, this.#kind === "delete")
          : undefined);
      return frame ? [[status, frame] as const] : [];
    });
    return new Map(found);
  }

  #wrongSuccess(): string {
    const { record } = this.#resource;
    const name = record.name === undefined ? "the schema of the GET" : `the schema ${record.name}`;
    const content = this.#kind === "list" ? `an array of ${name}` : name;
    const statuses = successes[this.#kind].map((status) =>
      status === "204" || status === "202" ? status : `${status} with ${content}`,
    );
    return `declares no response ${statuses.join(" or ")}`;
  }

  // A parameter whose effect is not known can be left out, if it is optional.
  #findRefused(): StandardOperation["refused"] {
    const { record, collection } = this.#resource;
    const filters = collection.filters.map(({ name }) => name);
    return this.#operation.parameterParts.filter((part) => {
      const { in: location, name, required } = part.value;
      if (location === "path" || (location === "header" && knownHeaders.includes(name))) return false;
      const isList = this.#kind === "list" && location === "query";
      if (isList && (filters.includes(name) || pageRoleOf(part, record, this.#resource.sampleId) !== undefined))
        return false;
      const reason = isList
        ? `has the parameter ${name}, which neither selects a page (limit, cursor) nor has the name and type of a property`
        : `has the ${location} parameter ${name}, whose effect is not known`;
      if (required) this.#refuse(reason);
      else this.#doubt(reason);
      return true;
    });
  }

  #examinePages(): void {
    const { record } = this.#resource;
    const find = (name: string) => queryOf(this.#operation).find(({ value }) => value.name === name);
    const [limit, cursor] = [find("limit"), find("cursor")];
    const limitSchema = limit?.at("schema")?.value as { readonly default?: unknown } | undefined;
    const typeOf = (parameter: typeof limit) => {
      const schema = parameter?.written("schema");
      return schema && valueType(new RecordSchema(record.document, schema).parts);
    };
    if (typeOf(limit) === undefined || (limit?.value.required !== true && limitSchema?.default === undefined))
      this.#doubt("has no parameter limit with a default, so that it would have to return all records at once");
    if (typeOf(cursor) !== "string") this.#doubt("has no parameter cursor, a string, which selects the next page");
  }

  // A new record has the id that is sent, or the store makes one.
  #examineId(): void {
    const { takesId, newProperties, collection } = this.#resource;
    const id = this.#resource.idPath.join(".");
    if (takesId && collection.idType === "int64" && collection.isScoped)
      this.#doubt(`takes the property ${id}, which the store makes: it must be read-only`);
    const hasKey = this.#operation.parameterParts.some(({ value }) => value.name === "Idempotency-Key");
    if (takesId && hasKey)
      this.#refuse(`takes the property ${id}, so that a retry does not need the header Idempotency-Key`);
    const canMake = collection.idType === "int64" || collection.idForm !== undefined;
    if (!newProperties.required.includes(id) && !canMake)
      this.#refuse(
        `does not require the property ${id}, whose schema does not allow the UUID that the store would make`,
      );
  }

  // What is sent should be all that a record consists of, besides its id.
  #examineBody(): RecordMaker | undefined {
    const { record, collection } = this.#resource;
    const part = bodySchema(this.#operation);
    if (part === undefined) {
      this.#refuse("has no body of application/json with a schema");
      return undefined;
    }
    const body = this.#findBody(part);
    const unknown = body.propertyNames.find((name) => !record.propertyNames.includes(name));
    if (unknown !== undefined) this.#doubt(`takes the property ${unknown}, which the record does not have`);
    const secret = body.propertyNames.find((name) =>
      record.property(name).some(({ schema }) => schema.writeOnly === true),
    );
    if (secret !== undefined) this.#doubt(`takes the property ${secret}, which is write-only`);
    const isGiven = (name: string) => {
      const schemas = body.property(name).map(({ schema }) => schema);
      if (schemas.some(({ readOnly }) => readOnly === true)) return false; // a request can't have it
      return body.required.includes(name) || schemas.some((schema) => schema.default !== undefined);
    };
    const missing = record.required.find((name) => name !== collection.id && !isGiven(name));
    if (missing !== undefined) this.#doubt(`does not require the property ${missing}, which each record must have`);
    if (this.#certainty === "certain") return undefined;
    const maker = this.#createMaker(body);
    const { problem } = maker.create(Object(body.example()));
    if (problem)
      this.#refuse(`makes a record that does not match the schema: ${problem.path || "it"} ${problem.requirement}`);
    return maker;
  }

  #withSampleId(members: object): object {
    const { collection, sampleId } = this.#resource;
    return collection.id === undefined
      ? this.#resource.withId(members, sampleId)
      : { [collection.id]: sampleId, ...members };
  }

  #createMaker(body: RecordSchema): RecordMaker {
    const { record } = this.#resource;
    const validate = record.createValidator("response");
    const options = { record, shown: findShownRecords(this.#resource), body, id: this.#idName };
    return new RecordMaker(options, (members) => {
      const { problem } = validate(this.#resource.idIn(members) === undefined ? this.#withSampleId(members) : members);
      return problem ? { problem } : { value: members };
    });
  }

  // The schema of what a request has of a record: its body, or a member of it. One that has nothing of it would be lost.
  #findBody(place: SchemaPlace): RecordSchema {
    const { record } = this.#resource;
    const body = new RecordSchema(record.document, place);
    const isPart = ({ propertyNames }: RecordSchema) =>
      propertyNames.some((name) => record.propertyNames.includes(name));
    if (isPart(body) || body.propertyNames.length === 0) return body;
    const members = body.propertyNames.flatMap((name) => {
      const [node] = body.property(name);
      const schema = node && new RecordSchema(record.document, node);
      return schema && isPart(schema) ? [{ name, schema }] : [];
    });
    const [member] = members;
    if (member === undefined || members.length > 1) {
      // A PUT that creates a record has its id at least, such as the name of a secret.
      const reason = "takes no property of the record";
      const isKeptInPath = this.#kind === "replace" && this.#resource.operations.create === undefined;
      if (isKeptInPath && this.#resource.idPath.length > 0) this.#doubt(reason);
      else this.#refuse(reason);
      return body;
    }
    this.#doubt(`takes the record as the property ${member.name}`);
    this.#bodyMember = member.name;
    return member.schema;
  }

  // Only the times of a change, and which members are kept.
  #updater(): RecordMaker | undefined {
    if (this.#certainty === "certain" || this.#kind !== "update") return undefined;
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
    if (this.#operation.method === "POST") this.#doubt("is a POST of a record, which can be an action");
    const types = bodyTypesOf(this.#operation);
    const [other] = types.filter((type) => !(patchTypes as readonly string[]).includes(type));
    const reason = `has ${other === undefined ? "no body" : `a body of ${other}`}, and not of ${patchTypes.join(" or ")}`;
    if (!types.some(isPatchType)) this.#refuse(reason);
    else if (other !== undefined) this.#doubt(reason);
    for (const [type, content] of this.#patchContents()) {
      const part = content.at("schema");
      const body = part && this.#findBody(part);
      const filled = body?.propertyNames.find((name) =>
        body.property(name).some(({ schema }) => schema.default !== undefined),
      );
      if (filled !== undefined)
        this.#doubt(
          `has a default for the property ${filled}, to which each change would set it: leave it out of the body's schema`,
        );
      const unknown = body?.propertyNames.find((name) => !record.propertyNames.includes(name));
      if (unknown !== undefined) this.#doubt(`takes the property ${unknown}, which the record does not have`);
      const nullable = body?.propertyNames.find((name) => allowsNull(body.property(name)));
      if (nullable !== undefined && type === "application/json")
        this.#doubt(
          `allows null for the property ${nullable}, which could remove it or set it: in ${patchTypes[0]}, it removes it`,
        );
    }
  }
}

function allowsNull(schemas: readonly SchemaNode[]): boolean {
  return schemas.some(({ schema }) => [schema.type].flat().includes("null"));
}
