// The discriminator (OpenAPI 3.2, section 4.25): the value of a property names the alternative that an object must match.
import { isObject } from "../../../lib/index.ts";
import type { Cell, Evaluation } from "../evaluation.ts";
import type { Compiler } from "../keyword.ts";
import type { SchemaNode } from "../node.ts";
import { hasMember } from "../value-forms.ts";
import { isExcluded } from "./directions.ts";

interface DiscriminatorObject {
  readonly propertyName?: unknown;
  readonly mapping?: Readonly<Record<string, string>>;
  readonly defaultMapping?: string;
}

/**
 * Selects the alternative of a value. Returns `none` if the discriminator does not apply to it. If its property is required but
 * missing, or has an unknown value, adds the failure and returns `failed`.
 */
export type Select = (value: unknown, run: Evaluation) => Cell | "none" | "failed";

/** The property that tells the alternatives of a schema apart, and the alternative of each of its values. */
export interface NamedAlternatives {
  readonly property: string;
  readonly named: ReadonlyMap<unknown, SchemaNode>;
  /** Further values: the own names of alternatives that the mapping names otherwise. */
  readonly aliases: ReadonlyMap<unknown, SchemaNode>;
}

/** Returns the names of the alternatives of a schema; undefined if it has no discriminator that names them. */
export function nameAlternatives(node: SchemaNode, alternatives: readonly SchemaNode[]): NamedAlternatives | undefined {
  const { propertyName: property, mapping } = Object(node.schema.discriminator) as DiscriminatorObject;
  if (typeof property !== "string") return undefined;
  const named = new Map<unknown, SchemaNode>();
  const find = createSearch(node, alternatives);
  for (const [name, target] of Object.entries(Object(mapping) as object)) {
    const alternative = find(`${target}`);
    if (alternative) named.set(name, alternative);
  }
  const mapped = new Set(named.values());
  const others = alternatives.filter((alternative) => !mapped.has(alternative));
  const own = others.flatMap((alternative) => namesOf(alternative, property).map((name) => ({ name, alternative })));
  // A value that several allow names none.
  for (const [name, [first, second]] of Map.groupBy(own, (one) => one.name))
    if (first && second === undefined) named.set(name, first.alternative);
  const aliases = new Map<unknown, SchemaNode>();
  for (const alternative of mapped)
    for (const name of namesOf(alternative, property)) if (!named.has(name)) aliases.set(name, alternative);
  return named.size > 0 ? { property, named, aliases } : undefined;
}

/** Returns the references of a mapping that lead to nothing. Another text can be the name of a schema in another document. */
export function findLostTargets(node: SchemaNode): string[] {
  const { mapping } = Object(node.schema.discriminator) as { readonly mapping?: unknown };
  const alternatives = [...node.childrenOf("oneOf"), ...node.childrenOf("anyOf")].map((child) => child.node);
  const find = createSearch(node, alternatives);
  const leadsToNothing = (target: string) => {
    if (find(target)) return false;
    try {
      return node.resolve(target) === undefined;
    } catch {
      return true;
    }
  };
  const targets = Object.values(Object(mapping)).filter((target): target is string => typeof target === "string");
  return targets.filter((target) => /^#|\.(ya?ml|json)\b/.test(target) && leadsToNothing(target));
}

/** Creates the selection of a schema with alternatives; undefined if it has no discriminator that names them. */
export function readDiscriminator(
  node: SchemaNode,
  alternatives: readonly SchemaNode[],
  compiler: Compiler,
): Select | undefined {
  const found = nameAlternatives(node, alternatives);
  if (found === undefined) return undefined;
  const { property, named, aliases } = found;
  const { defaultMapping, mapping } = node.schema.discriminator as DiscriminatorObject;
  const find = createSearch(node, alternatives);
  const cells = new Map([...named, ...aliases].map(([name, alternative]) => [name, compiler.cellOf(alternative)]));
  const fallback = defaultMapping === undefined ? undefined : find(defaultMapping);
  const all = new Set(named.values());
  const isComplete = alternatives.every((alternative) => all.has(alternative));
  const isRequired = alternatives.every((alternative) => requires(alternative, property));
  const known = { enum: [...named.keys()] };
  return (value, run) => {
    if (!isObject(value)) return "none";
    const isMissing = !hasMember(value, property);
    const selected = (isMissing ? undefined : cells.get(value[property])) ?? (fallback && compiler.cellOf(fallback));
    if (selected) return selected;
    // An alternative without a name can match, one whose mapping leads to nothing, or one that does not require the property.
    const isLost = !isMissing && Object.hasOwn(Object(mapping), `${value[property]}`);
    const isOptional = isMissing && (!isRequired || isExcluded(run.position.marks?.get(property), run.direction));
    if (!isComplete || isLost || isOptional) return "none";
    if (isMissing) run.fail("required", node.schema, property);
    else {
      const from = run.failureCount;
      run.fail("enum", known, value[property]);
      run.addStep(from, property);
    }
    return "failed";
  };
}

// A target is a reference, or the name of a schema of the document.
function createSearch(node: SchemaNode, alternatives: readonly SchemaNode[]) {
  const byReference = new Map(alternatives.map((alternative) => [alternative.schema.$ref, alternative]));
  const bySchema = new Map(
    alternatives.flatMap((alternative) => alternative.references().map(({ raw }) => [raw, alternative])),
  );
  return (target: string): SchemaNode | undefined => {
    const known = byReference.get(target) ?? byReference.get(`#/components/schemas/${target}`);
    if (known) return known;
    try {
      return bySchema.get(node.resolve(target).raw);
    } catch {
      return undefined; // another schema, or none
    }
  };
}

function requires(node: SchemaNode, property: string): boolean {
  return node.parts().some(({ schema }) => Array.isArray(schema.required) && schema.required.includes(property));
}

// The values that an alternative allows for the property, or else its own name.
function namesOf(alternative: SchemaNode, property: string): unknown[] {
  const schemas = alternative
    .parts()
    .flatMap((part) => part.property(property))
    .flatMap((part) => part.parts())
    .map(({ schema }) => schema);
  const fixed = schemas.find((schema) => schema.const !== undefined || Array.isArray(schema.enum));
  if (fixed) return fixed.const === undefined ? (fixed.enum as unknown[]) : [fixed.const];
  const { $ref } = alternative.schema;
  return typeof $ref === "string" ? [$ref.replace(/^.*\//, "")] : [];
}
