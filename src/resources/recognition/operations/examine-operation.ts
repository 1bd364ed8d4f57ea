// Examines whether a store can answer an operation: what it means, what is only likely of it, and what is not known.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import { orderNames, spokenPeriod, spokenSelection, spokenSort } from "../../names/list-names.ts";
import { meaningOf, pluralsOf } from "../../names/meaning.ts";
import { endingStates, timeNames } from "../../names/member-names.ts";
import {
  actNames,
  neutralParameters,
  type QueryRole,
  queryNames,
  readNames,
  spokenAct,
  spokenDeletion,
  spokenKeeping,
  wholeNames,
} from "../../names/operation-names.ts";
import { pageFactNames } from "../../names/page-names.ts";
import type { OperationKind } from "../../record/collection-plan.ts";
import { RecordSchema, type SchemaPlace } from "../../record/record-schema.ts";
import {
  declaresSuccess,
  defaultOf,
  descriptionOf,
  queryOf,
  responseAt,
  responseSchema,
} from "../bodies-and-parameters.ts";
import { findWildcards } from "../lists/filters.ts";
import { readOrderPlan } from "../lists/list-order.ts";
import { type ListCondition, plainName, readConditions } from "../lists/list-parameters.ts";
import { readSwitch, selectsByDefault } from "../lists/list-switches.ts";
import { pageRoleOf, readPageParameters } from "../lists/page-parameters.ts";
import { actionOf, lastSegment } from "../paths.ts";
import type { ListPlan, PlannedAction } from "../plan.ts";
import {
  findEmptyEnvelope,
  findListEnvelope,
  findReceiptEnvelope,
  findRecordEnvelope,
  isOfOther,
  type ListEnvelope,
} from "../responses/envelopes.ts";
import { findFieldsParameter } from "../responses/response-shape.ts";
import { readOperationHint } from "../x-resource.ts";
import { findEnding, suggestAction } from "./actions.ts";
import { BodyExamination } from "./examine-body.ts";
import { ExaminedOperation, isUnderstood } from "./examined-operation.ts";

// In order of preference.
const successes: Readonly<Record<OperationKind, readonly string[]>> = {
  list: ["200"],
  create: ["201", "200", "202"],
  get: ["200"],
  replace: ["200", "204", "201", "202"],
  update: ["200", "204", "202"],
  delete: ["204", "200", "202"],
};

/** Examines one operation: what prevents the store from answering it, and what is only likely. */
export class Examination extends ExaminedOperation {
  /** Returns what the operation does, or why the store can't answer it. */
  run(): PlannedAction | string {
    const { kind, operation, resource } = this;
    const success = this.#findSuccess();
    if (success === undefined) return this.#wrongSuccess();
    if (!resource.plan.id.isUsual) this.doubt(`has no id with the name of the parameter ${resource.parameter}, or id`);
    const hint = readOperationHint(operation);
    const isNamed = hint !== false && hint.create !== undefined;
    const action = operation.method === "POST" && !isNamed ? actionOf(operation) : undefined;
    if (action !== undefined) this.refuse(`has the name of an action: ${action}`);
    const isWhole = hint !== false && hint.delete !== undefined;
    if (resource.isSingle && kind === "delete" && !isWhole && hasSelection(operation))
      this.refuse("has a body or query parameters, which can select what it deletes");
    if (kind === "delete" && !isWhole && onlyEnds(operation, resource.record))
      this.refuse(this.#describeEnding("says that it changes a state of the record, and does not delete it"));
    if (kind === "list" && spokenPeriod.test(textOf(operation)))
      this.refuse("lists the records of a period, such as the last 30 days");
    if ((kind === "get" || kind === "list") && acts(operation))
      this.refuse("is described as an action, and not as a read");
    const roles = this.#findRoles();
    const fieldsParameter = kind === "delete" ? undefined : findFieldsParameter(operation, resource);
    const refused = this.#findRefused(success.list).filter(({ value }) => value.name !== fieldsParameter);
    if (kind === "create") this.#examineId();
    if (this.within?.length === 0 && !this.#selectsRecords(success.list))
      this.refuse("lists records at another path, and has no parameter that selects them");
    const body = new BodyExamination(this).run();
    const canCreate = kind === "replace" && resource.plan.creation === "replace";
    const createdStatus = canCreate ? this.#findCreated(success) : success.status;
    const shape = fieldsParameter === undefined ? {} : { fieldsParameter };
    return this.plan({ ...success, ...body, ...roles, ...shape, createdStatus }, refused);
  }

  #describeEnding(reason: string): string {
    const suggestion = suggestAction(this.operation, this.resource.record.document, this.all);
    return suggestion === undefined ? reason : `${reason}, which ${suggestion} could answer`;
  }

  // The first declared success must have the record, or no content.
  #findSuccess(): Pick<PlannedAction, "status" | "envelopes" | "list"> | undefined {
    const find = (status: string) => responseAt(this.operation, status);
    const status = [...successes[this.kind], "200", "201", "204"].find((one) => find(one) !== undefined);
    if (status === undefined) return this.#undeclaredSuccess();
    const { record } = this.resource;
    const schema = responseSchema(this.operation, status);
    const base = { status: Number(status), envelopes: this.#findEnvelopes() };
    if (this.kind === "list") {
      const found = readPageParameters(this.operation, record, this.resource.exampleId);
      const envelope = schema && findListEnvelope(schema, this.resource, found);
      if (schema === undefined || envelope === undefined) return undefined;
      const isEndless = found.cursor !== undefined && lacksNextCursor(schema, envelope, record);
      const parameters = isEndless ? { ...found, cursor: undefined, limit: undefined } : found;
      const order = readOrderPlan(this.operation, this.resource);
      const conditions = this.#findConditions(order?.sort);
      const wildcards = findWildcards(this.operation, record);
      return { ...base, list: { envelope, parameters, conditions, ...(order && { order }), wildcards } };
    }
    if (status === "204") return base;
    const hasContent = (find(status)?.membersOf("content") ?? []).length > 0;
    const isLater = status === "202" && this.kind === "create"; // it promises nothing without the record
    if (schema === undefined) return hasContent || isLater || this.kind === "get" ? undefined : base;
    return base.envelopes[Number(status)] ? base : undefined;
  }

  // A document that declares only errors leaves a success open: one without content.
  #undeclaredSuccess(): Pick<PlannedAction, "status" | "envelopes"> | undefined {
    const isRead = this.kind === "get" || this.kind === "list";
    if (isRead || declaresSuccess(this.operation)) return undefined;
    this.doubt("declares no success");
    return { status: this.kind === "create" ? 201 : 204, envelopes: {} };
  }

  // 201, if it is declared with the record, or without content.
  #findCreated({ status, envelopes }: Pick<PlannedAction, "status" | "envelopes">): number {
    const created = responseAt(this.operation, "201");
    const canSend = created !== undefined && (envelopes[201] !== undefined || created.at("content") === undefined);
    return canSend ? 201 : status;
  }

  #findEnvelopes(): PlannedAction["envelopes"] {
    const isChange = this.kind !== "get" && this.kind !== "list";
    const found = [200, 201, 202].flatMap((status) => {
      const schema = responseSchema(this.operation, `${status}`);
      if (schema === undefined || (isChange && this.kind !== "create" && isOfOther(schema, this.resource))) return [];
      const envelope =
        (this.kind === "delete" ? findEmptyEnvelope(schema, this.resource) : undefined) ??
        findRecordEnvelope(schema, this.resource, status) ??
        (isChange
          ? findReceiptEnvelope(schema, this.resource, { isDeletion: this.kind === "delete", status })
          : undefined);
      return envelope ? [[status, envelope] as const] : [];
    });
    return Object.fromEntries(found);
  }

  #selectsRecords(list: ListPlan | undefined): boolean {
    const filters = this.resource.plan.filters.map(({ name }) => name);
    const names = [...filters, ...(list?.conditions ?? []).map(({ parameter }) => parameter)];
    return queryOf(this.operation).some(({ value }) => names.includes(value.name));
  }

  #findConditions(sort: string | undefined): readonly ListCondition[] {
    const { plan, record, exampleId } = this.resource;
    const filters = plan.filters.map(({ name }) => name);
    return queryOf(this.operation).flatMap((part) => {
      const isOther =
        filters.includes(part.value.name) ||
        pageRoleOf(part, record, exampleId, this.operation) ||
        (part.value.name === sort && spokenSort.test(descriptionOf(part)));
      if (isOther) return [];
      const conditions = readConditions(part, record);
      return conditions.length > 0 ? conditions : readSwitch(part, record);
    });
  }

  #wrongSuccess(): string {
    const { record } = this.resource;
    const name = record.name === undefined ? "the schema of the GET" : `the schema ${record.name}`;
    const content = this.kind === "list" ? `an array of ${name}` : name;
    const statuses = successes[this.kind].map((status) =>
      status === "204" || status === "202" ? status : `${status} with ${content}`,
    );
    return `declares no response ${statuses.join(" or ")}`;
  }

  // A parameter whose effect is not known can be left out, if it is optional.
  #findRefused(list: ListPlan | undefined): Operation["parameterParts"] {
    const filters = this.resource.plan.filters.map(({ name }) => name);
    const conditions = (list?.conditions ?? []).map(({ parameter }) => parameter);
    const known = [
      ...filters,
      ...conditions,
      ...Object.values(list?.parameters ?? {}),
      list?.order?.sort,
      list?.order?.direction,
    ];
    return this.operation.parameterParts.filter((part) => {
      if (isUnderstood(part)) return false;
      const { in: location, name, required } = part.value;
      const isList = this.kind === "list" && location === "query";
      if (
        isList &&
        [...filters, ...conditions].includes(name) &&
        defaultOf(part) === undefined &&
        spokenSelection.test(descriptionOf(part))
      )
        this.refuse(`has the parameter ${name}, whose described default is not known`);
      if (isList && known.includes(name)) return false;
      if (location === "query" && this.#roleOf(name) !== undefined) return false;
      const reason = isList
        ? `has the parameter ${name}, which neither selects a page (limit, cursor) nor has the name and type of a property`
        : `has the ${location} parameter ${name}, whose effect is not known`;
      if (required) this.refuse(reason);
      const isOrder = meaningOf(orderNames, plainName(name)) !== undefined;
      const isCreation = meaningOf(timeNames, `${defaultOf(part)}`) === "created" && this.resource.plan.creation;
      if (isList && isOrder && defaultOf(part) !== undefined && !isCreation)
        this.refuse(`has the parameter ${name}, whose default ${defaultOf(part)} is an order that is not known`);
      if (isList && selectsByDefault(part))
        this.refuse(
          `has the parameter ${name}, whose default ${defaultOf(part)} selects records in a way that is not known`,
        );
      return true;
    });
  }

  #roleOf(name: string): QueryRole | undefined {
    const { kind, resource } = this;
    const isOfRecord = toSnakeCase(name) === `${resource.recordName}_id`;
    if (kind === "create" && isOfRecord && resource.collection.idType === "string") return "id";
    const role = meaningOf(queryNames, name);
    return role === "mask" && kind !== "update" ? undefined : role;
  }

  #findRoles(): Pick<PlannedAction, "idParameter" | "maskParameter"> {
    const find = (role: QueryRole) =>
      queryOf(this.operation).find(({ value }) => this.#roleOf(value.name) === role)?.value.name;
    const [idParameter, maskParameter] = [find("id"), find("mask")];
    return { ...(idParameter !== undefined && { idParameter }), ...(maskParameter !== undefined && { maskParameter }) };
  }

  // A new record has the id that is sent, or the store makes one.
  #examineId(): void {
    const { record, collection, parameter } = this.resource;
    const { path, type, form, isSent, isRequired } = this.resource.plan.id;
    const id = path.join(".");
    if (isSent && type === "int64" && collection.isScoped) {
      const reason = `takes the property ${id}, which the store makes: it must be read-only`;
      if (isRequired) this.refuse(reason);
      else this.doubt(reason);
    }
    const hasKey = this.operation.parameterParts.some(({ value }) => value.name === "Idempotency-Key");
    if (isSent && hasKey)
      this.refuse(`takes the property ${id}, so that a retry does not need the header Idempotency-Key`);
    if (type === "int64" && !(this.resource.canFind("1") && record.acceptsAt(path, 1)))
      this.refuse(
        `needs ids from 1 on, which the schema of the property ${id}, or of the parameter ${parameter}, rejects`,
      );
    if (!isRequired && type === "string" && form === undefined)
      this.refuse(
        `does not require the property ${id}, whose schema does not allow the UUID that the store would make`,
      );
  }
}

function textOf({ part }: Operation): string {
  const { summary, description } = Object(part.value) as Readonly<Record<string, unknown>>;
  return `${summary}. ${description}`;
}

// Whether a list can't say the next cursor, because the member for it has another type than a text.
function lacksNextCursor(place: SchemaPlace, { levels: [level] }: ListEnvelope, { document }: RecordSchema): boolean {
  const isSaid = (name: string) => level?.beside.some((one) => one.name === name && one.fact !== undefined);
  const isCursor = (name: string) => meaningOf(pageFactNames.string ?? [], name) === "nextCursor";
  return RecordSchema.of(document, place).propertyNames.some((name) => isCursor(name) && !isSaid(name));
}

// Whether a DELETE says that it cancels or deactivates the record, by the beginnings of its summary and its description.
function onlyEnds(operation: Operation, { propertyNames }: RecordSchema): boolean {
  const { description } = Object(operation.part.value) as Readonly<Record<string, unknown>>;
  const isEnding = findEnding(operation) !== undefined;
  const isSaid = spokenKeeping.test(`${description}`) || (isEnding && !spokenDeletion.test(`${description}`));
  return isSaid && propertyNames.some((name) => endingStates.test(toSnakeCase(name)));
}

// Whether a GET changes something, by the first word of its name or its text.
function acts(operation: Operation): boolean {
  const [word = "", ...others] = toSnakeCase(operation.id).split(/[^a-z]+/);
  const isThing =
    others.some((one) => readNames.test(one)) || pluralsOf(word).some((one) => operation.path.includes(one));
  return (!isThing && actNames.test(word)) || spokenAct.test(textOf(operation));
}

// Whether a DELETE of a single record can delete a part of it: its name does not say that it deletes all.
function hasSelection(operation: Operation): boolean {
  if ([operation.id, lastSegment(operation.path)].some((name) => wholeNames.test(toSnakeCase(name)))) return false;
  const hasBody = operation.part.at("requestBody") !== undefined;
  return hasBody || queryOf(operation).some(({ value }) => !neutralParameters.test(toSnakeCase(value.name)));
}
