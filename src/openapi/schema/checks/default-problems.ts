// Default values that their schemas reject.
import { toJson } from "../../../lib/index.ts";
import type { RuleId } from "../../source/index.ts";
import { convertDefault, findDefault } from "../keywords/defaults.ts";
import type { SchemaNode } from "../node.ts";
import type { Validate } from "../validation.ts";

/** What is wrong with the default of a schema. The reason completes "The schema at /components/… …". */
export interface DefaultProblem {
  readonly node: SchemaNode;
  readonly rule: RuleId;
  readonly reason: string;
}

/**
 * Returns what is wrong with the defaults of schemas. `requests` are the schemas of requests: only in them, and in those to which they
 * lead, a default is filled in.
 */
export function findDefaultProblems(
  schemas: readonly SchemaNode[],
  requests: readonly SchemaNode[],
  validateOf: (node: SchemaNode) => Validate,
): DefaultProblem[] {
  if (schemas.length === 0) return [];
  const sent = reach(requests);
  const own = schemas.flatMap((node) => check(node, node.schema.default, sent.has(node.raw), validateOf));
  const invalid = new Set(own.map(({ node }) => node.raw));
  // That of a schema that applies besides, by the whole schema.
  const inherited = [...sent.values()].flatMap((node) => {
    const owner = (node.schema.$ref ?? node.schema.allOf) ? findDefault(node) : undefined;
    const isOther = owner !== undefined && owner.raw !== node.raw && !invalid.has(owner.raw);
    return isOther ? check(node, owner.schema.default, true, validateOf) : [];
  });
  return [...own, ...inherited];
}

function check(
  node: SchemaNode,
  value: unknown,
  isSent: boolean,
  validateOf: (node: SchemaNode) => Validate,
): DefaultProblem[] {
  const validate = validateOf(node);
  const result = validate(value);
  if ("value" in result) return [];
  const [{ path, requirement }] = result.problems;
  const reason = `has the default ${toJson(value)}, ${path === "" ? "which" : `whose part '${path}'`} ${requirement}`;
  if (!isSent) return [{ node, rule: "response-default", reason }];
  const converted = convertDefault(node, value);
  if ("value" in validate(converted))
    return [{ node, rule: "default-type", reason: `${reason}: it is read as ${toJson(converted)}` }];
  const isNone = value === null || value === ""; // as most people mean it
  return [
    isNone
      ? { node, rule: "default-type", reason: `${reason}: there is no default` }
      : { node, rule: "default", reason },
  ];
}

// The schemas, as they are written, to which others lead at any depth.
function reach(starts: readonly SchemaNode[]): ReadonlyMap<unknown, SchemaNode> {
  const found = new Map<unknown, SchemaNode>(starts.map((node) => [node.raw, node])); // grows while it is read
  for (const node of found.values())
    for (const part of [...node.references(), ...node.children().map((child) => child.node)])
      if (!found.has(part.raw)) found.set(part.raw, part);
  return found;
}
