// An operation while it is examined: what is only likely of it, and why the store can't answer it.
import type { Operation } from "../../../openapi/index.ts";
import { spokenIdWords } from "../../names/member-names.ts";
import type { OperationKind } from "../../record/collection-plan.ts";
import type { Resource } from "../../record/resource.ts";
import { defaultOf, descriptionOf, isKnownHeader, isTenant, keyHeaderOf } from "../bodies-and-parameters.ts";
import { findTenants, tenantsOf } from "../collections/parents.ts";
import type { PlannedAction, RefusedParameter } from "../plan.ts";
import { describeMissing, planHeaders } from "../responses/response-headers.ts";

/** An operation of a collection, and what was found of it. The first reason against an answer is reported. */
export class ExaminedOperation {
  readonly kind: OperationKind;
  readonly operation: Operation;
  readonly resource: Resource;
  /** The parameters of its path that are members of the records, if it is at another path than the collection. */
  readonly within: PlannedAction["within"];
  /** All collections of the document. */
  readonly all: readonly Resource[];
  readonly doubts: string[] = [];
  #reason: string | undefined;

  constructor(
    kind: OperationKind,
    operation: Operation,
    resource: Resource,
    all: readonly Resource[] = [],
    within?: PlannedAction["within"],
  ) {
    this.kind = kind;
    this.within = within;
    this.all = all;
    this.operation = operation;
    this.resource = resource;
  }

  /** Completes "The operation … "; undefined if there is no reason. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** The members that a new record has from its path. */
  get placed(): readonly string[] {
    const ofScope = this.resource.plan.scope.flatMap(({ member }) => member ?? []);
    const within = this.kind === "create" ? (this.within ?? []) : this.resource.plan.views.flatMap((one) => one.within);
    return [...ofScope, ...within.map(({ path }) => path[0] as string)];
  }

  refuse(reason: string): void {
    this.#reason ??= reason;
  }

  doubt(reason: string): void {
    this.doubts.push(reason);
  }

  /** Returns what the operation does, or why the store can't answer it. */
  plan(
    found: Pick<PlannedAction, "status" | "envelopes"> & Partial<PlannedAction>,
    refused: readonly Operation["parameterParts"][number][],
  ): PlannedAction | string {
    const { kind, operation, resource, doubts } = this;
    const { status, createdStatus = status, part } = found;
    const creates = part === undefined && (kind === "create" || kind === "replace");
    const headers = planHeaders(operation, resource, { statuses: [status, createdStatus], creates });
    const tenants = tenantsOf(findTenants(operation, resource.record));
    const missing = tenantsOf(resource.plan.scope).find((name) => !tenants.includes(name));
    if (missing !== undefined)
      this.refuse(`does not have the header ${missing}, which selects the records of a tenant`);
    const others = tenants.filter((name) => !resource.scopeParameters.includes(name));
    if (others.length > 0)
      this.refuse(`has the header ${others[0]}, which the GET of a ${resource.recordName} does not have`);
    if (this.reason !== undefined || typeof headers === "string") return this.reason ?? describeMissing(`${headers}`);
    return {
      kind,
      collection: resource.name,
      ...(this.within && { within: this.within }),
      createdStatus,
      headers,
      keyHeader: keyHeaderOf(operation, resource.item),
      requiresMatch: operation.part.at("responses")?.at("428") !== undefined,
      controls: [],
      ...found,
      refused: [...refused.map(toRefused), ...findWords(operation)],
      doubts,
    };
  }
}

/** Returns whether a parameter is one of the path, or a header whose effect is known. */
export function isUnderstood(parameter: Operation["parameterParts"][number]): boolean {
  const { in: location } = parameter.value;
  return location === "path" || (location === "header" && (isKnownHeader(parameter) || isTenant(parameter)));
}

// The words that can be in place of an id in a path, as descriptions of its parameters say: it is not known whose ids they mean.
function findWords({ parameterParts }: Operation): readonly RefusedParameter[] {
  return parameterParts.flatMap((part) => {
    const { in: location, name } = part.value;
    const words = location === "path" ? [...descriptionOf(part).matchAll(spokenIdWords)] : [];
    const values = [...new Set(words.map(([, word = ""]) => word))];
    return values.length > 0 ? [{ in: location, name, values }] : [];
  });
}

/** Returns what a request can't have of a parameter. */
export function toRefused(parameter: Operation["parameterParts"][number]): RefusedParameter {
  const { in: location, name } = parameter.value;
  const unchanged = defaultOf(parameter);
  return { in: location, name, ...(unchanged !== undefined && { default: unchanged }) };
}
