// Finds further problems of a value that is known to be invalid. The validators of Ajv stop at the first one: with `allErrors`,
// they would report each error of each alternative, and take unlimited time and memory for a large body.
import { maxDetails } from "../http/index.ts";
import type { Problem } from "../lib/index.ts";
import { compilePattern } from "./regular-expressions.ts";
import type { Schemas } from "./schema.ts";
import type { SchemaNode } from "./schema-node.ts";
import { describeFailure, describeMissing, describeUnknown, toPath } from "./validation-messages.ts";

const maxChecks = 100; // parts of a value that are validated, valid ones included
const noun = "field";

/**
 * A search through the fields and items of a body, as far as `properties`, `additionalProperties`, `required` and `items`
 * describe them. Ends after 10 problems.
 */
export class ProblemSearch {
  readonly #schemas: Schemas;
  readonly #problems = new Map<string, Problem>();
  #checks = 0;

  /** `first` is the problem that the validation of the whole value has found. */
  constructor(schemas: Schemas, first: Problem) {
    this.#schemas = schemas;
    this.#add(first);
  }

  /** Returns the problems of a value: the first one, and those that were found besides. */
  run(pointer: string, value: unknown): Problem[] {
    this.#search([this.#schemas.at(pointer)], value, []);
    return [...this.#problems.values()];
  }

  #add(problem: Problem): void {
    if (this.#problems.size < maxDetails) this.#problems.set(`${problem.path} ${problem.requirement}`, problem);
  }

  #search(nodes: readonly SchemaNode[], value: unknown, steps: readonly string[]): void {
    if (this.#problems.size >= maxDetails || this.#checks >= maxChecks) return;
    this.#checks += 1;
    const results = nodes.map(({ pointer }) => this.#schemas.compileCheckAt(pointer, "request")(value));
    const failed = results.find((result) => "errors" in result);
    if (failed === undefined) return;
    const parts = nodes.flatMap((node) => node.parts());
    const found = this.#problems.size;
    if (Array.isArray(value)) this.#searchItems(parts, value, steps);
    else if (typeof value === "object" && value !== null) this.#searchFields(nodes, parts, value, steps);
    if (this.#problems.size > found) return;
    const problem = describeFailure(failed.errors, noun);
    const inside = (path: string) => toPath(path === "" ? steps : [...steps, path]);
    this.#add({ ...problem, path: inside(problem.path), ...(problem.part && { part: inside(problem.part) }) });
  }

  #searchItems(parts: readonly SchemaNode[], items: readonly unknown[], steps: readonly string[]): void {
    const nodes = parts.filter(({ schema }) => schema.items !== undefined && schema.prefixItems === undefined);
    if (nodes.length === 0) return;
    const schemas = nodes.map((node) => node.at("items"));
    for (const [index, item] of items.slice(0, maxChecks).entries())
      this.#search(schemas, item, [...steps, `${index}`]);
  }

  #searchFields(
    nodes: readonly SchemaNode[],
    parts: readonly SchemaNode[],
    value: object,
    steps: readonly string[],
  ): void {
    const path = toPath(steps);
    const addPart = (name: string, requirement: string) =>
      this.#add({ path, part: toPath([...steps, name]), requirement });
    for (const name of new Set(parts.flatMap(({ schema }) => (schema.required as string[] | undefined) ?? [])))
      if (!Object.hasOwn(value, name) && !parts.some((part) => part.isMarked(name, "readOnly")))
        addPart(name, describeMissing(name, noun));
    for (const [name, field] of Object.entries(value).slice(0, maxChecks)) {
      const closed = parts.find((part) => isUnknown(part, name));
      if (closed) addPart(name, describeUnknown(name, Object.keys({ ...(closed.schema.properties as object) }), noun));
      else
        this.#search(
          nodes.flatMap((node) => node.property(name)),
          field,
          [...steps, name],
        );
    }
  }
}

function isUnknown({ schema }: SchemaNode, name: string): boolean {
  if (schema.additionalProperties !== false || Object.hasOwn({ ...(schema.properties as object) }, name)) return false;
  return !Object.keys({ ...(schema.patternProperties as object) }).some((pattern) =>
    compilePattern(pattern).test(name),
  );
}
