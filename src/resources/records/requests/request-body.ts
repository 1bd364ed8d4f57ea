// The body of a request: what it has of a record, and the errors of the record that is made of it.
import { HttpError } from "../../../http/index.ts";
import { type Checked, isObject } from "../../../lib/index.ts";
import type { SchemaNode, UntypedCall } from "../../../openapi/index.ts";
import type { PlannedAction } from "../../recognition/plan.ts";
import type { RecordMaker } from "../../record/record-maker.ts";
import type { Resource } from "../../record/resource.ts";
import { withAlternatives } from "../../record/schema-nodes.ts";
import { childrenIn } from "../child-records.ts";
import { applyMask } from "./patches.ts";
import { invalidBody } from "./request.ts";

/** Reads the bodies of the requests of an operation. */
export class RequestBody {
  readonly #action: PlannedAction;
  readonly #resource: Resource;
  readonly #maker: RecordMaker | undefined;

  constructor(action: PlannedAction, resource: Resource, maker: RecordMaker | undefined) {
    this.#action = action;
    this.#resource = resource;
    this.#maker = maker;
  }

  /** Returns what a request has of a record. */
  of({ body = {} }: UntypedCall): object {
    const member = this.#action.body?.member;
    const found = member === undefined ? body : Object(body)[member];
    if (found === undefined) return {};
    if (isObject(found)) return this.#withoutChildren(this.#rename(found));
    throw invalidBody(member ?? "", "A record must be an object.");
  }

  // Returns a body without the records that are kept below its own: a new record has an empty array, if it can, and others keep what they
  // have.
  #withoutChildren(body: object): object {
    const children = childrenIn(body, this.#action.children);
    if (Object.keys(children).length === 0) return body;
    const { record } = this.#resource;
    const others = Object.entries(body).filter(([name]) => !Object.hasOwn(children, name));
    const ofNew = Object.entries(children).map(([name, items]) => [name, record.accepts(name, []) ? [] : items]);
    return Object.fromEntries(this.#action.kind === "create" ? [...others, ...ofNew] : others);
  }

  /** Returns a whole record of a request with the members that have the records below it, as they were before. */
  keepChildren(call: UntypedCall, members: object, before: Readonly<Record<string, unknown>> = {}): object {
    const kept = Object.keys(this.childrenOf(call)).map((name) => [name, before[name] ?? []]);
    return { ...members, ...Object.fromEntries(kept) };
  }

  /** Returns the records that a request has, and that are kept below its own, by the names of the members with them. */
  childrenOf({ body }: UntypedCall): Readonly<Record<string, readonly unknown[]>> {
    const member = this.#action.body?.member;
    const found = member === undefined ? body : Object(body)[member];
    return isObject(found) ? childrenIn(found, this.#action.children) : {};
  }

  // Returns what a request has of a record by the names of the record.
  #rename(sent: object): object {
    const { names = {} } = this.#maker?.body ?? {};
    const twice = Object.entries(names).find((both) => both.every((name) => Object.hasOwn(sent, name)));
    if (twice) throw invalidBody(twice[0], `A request can have ${twice.join(" or ")}, and not both.`);
    return this.#maker?.body.rename(sent) ?? sent;
  }

  /** Returns the name that a request has of a member of the record. */
  sentName(name: string): string {
    return this.#maker?.body.ownName(name) ?? name;
  }

  /** Returns the id that a query chooses for a new record; undefined if it chooses none. */
  idParameterOf({ query }: UntypedCall): unknown {
    const { idParameter } = this.#action;
    return idParameter === undefined ? undefined : (query as Readonly<Record<string, unknown>>)[idParameter];
  }

  /** Returns whether a request has a field mask. */
  hasMask({ query }: UntypedCall): boolean {
    const { maskParameter } = this.#action;
    return maskParameter !== undefined && Boolean((query as Readonly<Record<string, unknown>>)[maskParameter]);
  }

  /** Returns the members of a patch that the mask of a request has. A member of the mask that the patch does not have is removed. */
  maskOf({ query }: UntypedCall, patch: object): object {
    const { maskParameter } = this.#action;
    const mask = maskParameter === undefined ? undefined : (query as Readonly<Record<string, unknown>>)[maskParameter];
    if (mask === undefined || maskParameter === undefined) return patch;
    return applyMask(patch, [mask].flat().join(","), maskParameter, this.#resource.record);
  }

  /** Returns what a request makes of a record, with the read-only members that it had before. A new record has none. */
  keepReadOnly(before: object | undefined, after: object): object {
    return this.#resource.record.keepReadOnly(before, after, this.#maker?.body);
  }

  /** Returns a record with what a request says that is in no response. */
  withPrivate(call: UntypedCall, record: object): object {
    if (this.#resource.plan.private === undefined || !isObject(call.body)) return record;
    const { record: schema } = this.#resource;
    const sent = Object.entries(this.#resource.privateOf(this.of(call)));
    // What is read-only for requests, only handlers write.
    const canSend = (name: string) => this.#maker?.body.canHave(name) || schema.canHave(name);
    return { ...record, ...Object.fromEntries(sent.filter(([name]) => canSend(name))) };
  }

  /** Returns a record that was made of a body. Throws an HttpError if it does not match its schema. */
  requireValid({ value, problem }: Checked<object>, body: object): object {
    if (problem === undefined) return value;
    const opaque = this.#maker?.findOpaque(body);
    if (opaque !== undefined) throw this.#mismatch(opaque);
    const subject = problem.path === "" ? "it" : `its property ${problem.path}`;
    const canSend = problem.path === "" && this.#maker?.body.canHave(`${problem.part}`);
    throw new HttpError(
      "not_implemented",
      `The ${this.#resource.recordName} that this request makes does not match its schema: ${subject} ${problem.requirement}.${canSend ? ` Send the request with ${this.sentName(`${problem.part}`)}.` : ""}`,
    );
  }

  #mismatch(name: string): HttpError {
    const other = this.#maker?.body.required.includes(name) ? "it with another value" : "the request without it";
    return new HttpError(
      "not_implemented",
      `The value of ${this.sentName(name)} does not match its schema in the ${this.#resource.recordName} of a response, and can't be converted. Send ${other}.`,
    );
  }

  /** Returns a record that a request has changed. Throws an HttpError if it does not match its schema any more. */
  requireAllowed(call: UntypedCall, { value: changed, problem }: Checked<object>): object {
    if (problem === undefined) return changed;
    const { recordName } = this.#resource;
    const place = problem.path.split(".").filter((name) => !/^\d+$/.test(name));
    const [name = ""] = place;
    const value = (this.#maker?.patchOf(this.of(call)) as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (isOtherForm(value, this.#resource.record.property(name))) throw this.#mismatch(name);
    // A member of an object that no request can have.
    const lacking = problem.path === "" || problem.part === undefined ? undefined : [...place, problem.part];
    const canSend = (names: readonly string[]) => this.#maker?.body.at(names).some(({ schema }) => !schema.readOnly);
    if (lacking && this.#maker && !canSend(lacking)) throw this.#mismatch(`${place[0]}`);
    const subject = problem.path === "" ? `The ${recordName}` : `The property ${problem.path} of the ${recordName}`;
    throw invalidBody(
      this.sentName(problem.part ?? problem.path),
      `${subject} ${problem.requirement}, also after the change.`,
    );
  }
}

// Whether a value of a request has another type than a record can have, such as an id in place of an object.
function isOtherForm(value: unknown, schemas: readonly SchemaNode[]): boolean {
  if (value === undefined || value === null) return false;
  const types = withAlternatives(schemas).flatMap(({ schema: { type } }) => (type === undefined ? [] : [type].flat()));
  const own = Array.isArray(value) ? "array" : typeof value === "bigint" ? "number" : typeof value;
  return types.length > 0 && !types.some((type) => type === own || (type === "integer" && own === "number"));
}
