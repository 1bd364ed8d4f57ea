// Where a request is: the scope, id and address of its record, and the URLs of both.
import type { UntypedCall } from "../../../openapi/index.ts";
import { idOf, type RecordId, toScope } from "../../../store/index.ts";
import { tenantsOf } from "../../recognition/collections/parents.ts";
import { parametersOf } from "../../recognition/paths.ts";
import type { PlannedAction } from "../../recognition/plan.ts";
import type { Resource } from "../../record/resource.ts";
import { invalidBody, parameterOf } from "./request.ts";

/** Reads the paths of the requests of an operation. */
export class RequestPlace {
  readonly #path: string;
  readonly #resource: Resource;
  readonly #within: PlannedAction["within"];
  readonly #baseUrl: string;

  /** `path` is that of the operation, and `baseUrl` the public URL of the API. */
  constructor(path: string, resource: Resource, within: PlannedAction["within"], baseUrl: string) {
    this.#path = path;
    this.#resource = resource;
    this.#within = within;
    this.#baseUrl = baseUrl;
  }

  /** Returns the scope of a request: that of its path. */
  scopeOf(call: UntypedCall): string {
    return toScope(this.scopeValuesOf(call));
  }

  /** Returns the address of a record in the store; 0, which no record has, if the id is not a number of the store. */
  addressOf(call: UntypedCall, id = this.idOf(call)): RecordId {
    return this.#resource.addressAt(this.scopeValuesOf(call), id);
  }

  /** Returns the values of the parameters of the scope, in the order of the path. */
  scopeValuesOf(call: UntypedCall): readonly string[] {
    const headers = call.headers as Readonly<Record<string, unknown>>;
    return this.#resource.plan.scope.map(({ parameter, in: location }) =>
      location === "header" ? `${headers[parameter]}` : parameterOf(call, parameter),
    );
  }

  /** Returns the values of the headers of the scope. */
  tenantsOf(call: UntypedCall): readonly string[] {
    return this.scopeValuesOf(call).slice(0, tenantsOf(this.#resource.plan.scope).length);
  }

  /** Returns the members of a new record that the path of a request has. */
  membersOf(call: UntypedCall): Readonly<Record<string, unknown>> {
    const values = this.withinOf(call);
    const within = Object.fromEntries((this.#within ?? []).map(({ parameter, path }) => [path[0], values[parameter]]));
    return { ...this.#resource.membersOfScope(this.scopeValuesOf(call)), ...within };
  }

  /** Returns the members that the records of a request have by its path, beside those of its scope, by the names of parameters. */
  withinOf({ params }: UntypedCall): Readonly<Record<string, unknown>> {
    const values = params as Readonly<Record<string, unknown>>;
    return Object.fromEntries((this.#within ?? []).map(({ parameter }) => [parameter, values[parameter]]));
  }

  /** Returns the values of the parameters of a path above the record. */
  valuesAbove(call: UntypedCall): readonly string[] {
    if (this.#within === undefined) return this.scopeValuesOf(call);
    return [...this.tenantsOf(call), ...parametersOf(this.#path).map((name) => parameterOf(call, name))];
  }

  /** Returns the id of the record; a single one has none. */
  idOf(call: UntypedCall): string {
    return this.#resource.isSingle ? "" : parameterOf(call, this.#resource.parameter);
  }

  /** Returns why a new record of a request can't have an id. Completes a sentence; undefined if it can. */
  findIdProblem(call: UntypedCall, id: string): string | undefined {
    return this.#resource.findIdProblem(id, this.scopeValuesOf(call));
  }

  /** Returns the public URL of the operation of a request. */
  urlOfCall(call: UntypedCall): string {
    return this.#fillPath(this.#path, (name) => parameterOf(call, name));
  }

  #fillPath(path: string, read: (name: string) => string): string {
    return this.#baseUrl + path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(read(name)));
  }

  /** Returns the public URL of a record at an address. */
  urlOf(call: UntypedCall, address: RecordId): string {
    const { item, parameter, collection } = this.#resource;
    return this.#fillPath(item.path, (name) =>
      name === parameter ? `${idOf(collection, address)}` : parameterOf(call, name),
    );
  }

  /** Returns the URL of a record at an address with a scheme and host: those of the request, unless they are configured. */
  absoluteUrlOf(call: UntypedCall, address: RecordId): string {
    return new URL(this.urlOf(call, address), call.request.origin).href;
  }

  /** Returns the members that the path of a request has. Throws an InvalidRequest if what a request makes of a record has others. */
  requireMembers(call: UntypedCall, record: object): Readonly<Record<string, unknown>> {
    const place = this.membersOf(call);
    for (const [name, value] of Object.entries(place)) {
      const own = Object.hasOwn(record, name) ? (record as typeof place)[name] : value;
      if (`${own}` !== `${value}`)
        throw invalidBody(name, `The property ${name} must be that of the path, ${value}, or be left out.`);
    }
    return place;
  }

  /** Throws an InvalidRequest if a request can't choose an id. */
  requireId(call: UntypedCall, id: string): void {
    const { collection, idPath, highestChosenId: highest } = this.#resource;
    const isTooHigh = collection.idType === "int64" && BigInt(id) > highest;
    const tooHigh = isTooHigh ? `must be at most ${highest}, so that the server can make higher ones` : undefined;
    const problem = this.findIdProblem(call, id) ?? tooHigh;
    if (problem !== undefined) throw invalidBody(idPath.join("."), `The id ${problem}.`);
  }

  /** Returns a record with the id of the path. Throws an InvalidRequest if it has another one. */
  requireSameId(call: UntypedCall, record: object): object {
    if (this.#resource.isSingle) return record;
    const id = this.#resource.idIn(record);
    const sent = parameterOf(call, this.#resource.parameter);
    if (id === undefined || `${id}` === sent) return this.#resource.withId(record, sent);
    const name = this.#resource.idPath.join(".");
    throw invalidBody(name, `The property ${name} must be that of the path, ${sent}, or be left out.`);
  }
}
