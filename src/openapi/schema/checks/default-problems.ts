// Default values that their schemas reject.
import { isObject, toJson } from "../../../lib/index.ts";
import type { RuleId } from "../../source/findings.ts";
import type { Validate } from "../keyword.ts";

import { convertDefault, findDefault, isReadOnly } from "../keywords/defaults.ts";
import { listReachable, type SchemaNode } from "../node.ts";

/** What is wrong with the default of a schema. The reason completes "The schema at /components/… …". */
export interface DefaultProblem {
  readonly node: SchemaNode;
  readonly rule: RuleId;
  readonly reason: string;
  /** Whether the default has no meaning, so that its schema has none. */
  readonly isNone: boolean;
}

/**
 * Returns what is wrong with the defaults of schemas. `requests` are the schemas of requests: only in them, and in the properties of
 * those to which they lead, a default is filled in.
 */
export function findDefaultProblems(
  schemas: readonly SchemaNode[],
  requests: readonly SchemaNode[],
  validateOf: (node: SchemaNode) => Validate,
): DefaultProblem[] {
  if (schemas.length === 0) return [];
  const sent = [...listReachable(requests)];
  let filled: ReadonlySet<unknown> | undefined; // most documents have no invalid default
  const isFilled = (owner: SchemaNode) => {
    filled ??= findFilled(requests, sent);
    return filled.has(owner.raw);
  };
  const own = schemas.flatMap((node) => check(node, node, isFilled, validateOf));
  const invalid = new Set(own.map(({ node }) => node.raw));
  // That of a schema that applies besides, by the whole schema.
  const inherited = sent.flatMap((node) => {
    const owner = (node.schema.$ref ?? node.schema.allOf) ? findDefault(node) : undefined;
    const isOther = owner !== undefined && owner.raw !== node.raw && !invalid.has(owner.raw);
    return isOther ? check(node, owner, isFilled, validateOf) : [];
  });
  return [...own, ...inherited];
}

// The schemas whose defaults are filled in: those of parameters and bodies, and of the properties that a request can have.
function findFilled(requests: readonly SchemaNode[], sent: readonly SchemaNode[]): Set<unknown> {
  const properties = sent.flatMap((node) => node.childrenOf("properties").map((child) => child.node));
  const places = [...requests, ...properties.filter((property) => !isReadOnly(property))];
  return new Set(places.map((place) => findDefault(place)?.raw));
}

function check(
  node: SchemaNode,
  owner: SchemaNode,
  isFilled: (owner: SchemaNode) => boolean,
  validateOf: (node: SchemaNode) => Validate,
): DefaultProblem[] {
  const value = owner.schema.default;
  const validate = validateOf(node);
  const result = validate(value);
  if ("value" in result) return [];
  const [{ path, requirement }] = result.problems;
  const reason = `has the default ${toJson(value)}, ${path === "" ? "which" : `whose part '${path}'`} ${requirement}`;
  const converted = convertDefault(node, value);
  const isNone = !("value" in validate(converted));
  const add = (rule: RuleId, end: string) => [{ node, rule, reason: reason + end, isNone }];
  if (!isFilled(owner)) return add("unused-default", ": it is not filled in");
  if (!isNone) return add("default-type", `: it is read as ${toJson(converted)}`);
  // As most people mean it. Tools write {} for each object, also if it has required members.
  const isEmpty = value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);
  return isEmpty ? add("default-type", ": it is not filled in") : add("default", "");
}
