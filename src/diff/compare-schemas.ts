// Compares schemas by what they say: each pair once, also of recursive schemas.
import { isDeepStrictEqual } from "node:util";
import type { SchemaNode } from "../openapi/index.ts";
import { type Direction, describeField, describeTexts, limits, type Relation, relationOf } from "./keywords.ts";
import { type Member, nameOf, type Places, Step } from "./steps.ts";
import { describeTypes, follow, isAny, isUnlimited, keyOf, type View, Views } from "./view.ts";

type Nodes = readonly SchemaNode[];

interface Property extends Member {
  readonly nodes: Nodes;
}

interface Pair {
  readonly step: Step;
  readonly old: Nodes;
  readonly new: Nodes;
}

const markers = { request: "readOnly", response: "writeOnly", unrated: "" } as const;

/** Compares the schemas of two documents. */
export class SchemaComparison {
  readonly #today: string;
  readonly #old = new Views();
  readonly #new = new Views();
  readonly #steps = new Map<string, Step>();
  readonly #waiting: Pair[] = [];

  constructor(today: string) {
    this.#today = today;
  }

  /** Returns the comparison of values that must match these schemas, which `run` completes. */
  compare(oldNodes: Nodes, newNodes: Nodes, direction: Direction): Step {
    const [old, revised] = [oldNodes.map(follow), newNodes.map(follow)] as const;
    const key = `${direction} ${keyOf(old)} > ${keyOf(revised)}`;
    const known = this.#steps.get(key);
    if (known) return known;
    const step = new Step(direction, this.#today);
    this.#steps.set(key, step);
    this.#waiting.push({ step, old, new: revised });
    return step;
  }

  /** Makes the comparisons. */
  run(): void {
    for (let pair = this.#waiting.pop(); pair; pair = this.#waiting.pop()) this.#compare(pair);
  }

  /** Returns whether a value can have members in both documents. */
  haveMembers(old: Nodes, revised: Nodes): boolean {
    return [this.#old.of(old), this.#new.of(revised)].every(({ types }) => types.has("array") || types.has("object"));
  }

  #compare({ step, old: oldNodes, new: newNodes }: Pair): void {
    const [old, revised] = [this.#old.of(oldNodes), this.#new.of(newNodes)];
    const places = { old: old.pointer ?? "", new: revised.pointer ?? "" };
    for (const name of new Set([...old.annotations.keys(), ...revised.annotations.keys()]))
      if (!/^(readOnly|writeOnly)$/.test(name))
        step.compareField(name, old.annotations.get(name), revised.annotations.get(name), placesOf(old, revised, name));
    const isSameType = !old.types.isDisjointFrom(revised.types);
    const isAlternative = isSameType && (isAlternativeOf(old, revised) || isAlternativeOf(revised, old));
    const isUnion = isSameType && old.unions.length > 0 && revised.unions.length > 0;
    if (!isAlternative) compareTypes(step, old, revised, isUnion ? "ownTypes" : "types");
    if (!isSameType || isAny(old) || isAny(revised)) return;
    if (!isAlternative) this.#compareLimits(step, old, revised, places);
    this.#compareUnions({ step, old: oldNodes, new: newNodes }, old, revised);
  }

  #compareLimits(step: Step, old: View, revised: View, places: Places): void {
    compareValues(step, old, revised);
    // Of values that are listed, limits say nothing.
    if (!old.values && !revised.values)
      for (const name of new Set([...old.limits.keys(), ...revised.limits.keys()]))
        compareLimit(step, name, old, revised);
    this.#compareObjects(step, old, revised, places);
    this.#compareArrays(step, old, revised);
    this.#compareConditions(step, old, revised, places);
  }

  #compareObjects(step: Step, old: View, revised: View, places: Places): void {
    const members = [
      this.#propertiesOf(this.#old, old, step.direction, []),
      this.#propertiesOf(this.#new, revised, step.direction, old.properties.keys()),
    ] as const;
    const isClosed = step.direction === "response" && old.isClosed;
    for (const [one, other] of step.compareMembers("property", ...members, places, isClosed))
      if (one.nodes.length > 0 && other.nodes.length > 0)
        step.next.push(this.compare(one.nodes, other.nodes, step.direction));
    const keyword = "additionalProperties";
    const own = placesOf(old, revised, keyword);
    if (old.isClosed !== revised.isClosed) {
      const [relation, verb]: [Relation, string] = revised.isClosed
        ? ["narrower", "are no longer"]
        : ["wider", "are now"];
      step.relate(relation, keyword, own, `Fields that are not declared ${verb} allowed.`);
    } else if (!old.isClosed) this.descend(step, old.additional, revised.additional, keyword, own);
  }

  // With those that are only required, except those that the other version declares.
  #propertiesOf(views: Views, view: View, direction: Direction, others: Iterable<string>): Map<string, Property> {
    const { properties, required, pointer = "" } = view;
    const names = new Set(properties.keys()).union(required.difference(new Set(others)));
    const found = [...names].map((name): [string, Property] => {
      const nodes = properties.get(name) ?? [];
      const { annotations } = views.of(nodes);
      const marker = annotations.get(markers[direction]) === true ? markers[direction] : undefined;
      return [
        name,
        {
          nodes,
          marker,
          pointer: nodes[0]?.pointer ?? pointer,
          isRequired: required.has(name),
          value: Object.fromEntries(annotations),
        },
      ];
    });
    return new Map(found);
  }

  #compareArrays(step: Step, old: View, revised: View): void {
    if (!old.types.has("array") || !revised.types.has("array")) return;
    const own = placesOf(old, revised, "items");
    for (let index = 0; index < Math.max(old.prefixItems.length, revised.prefixItems.length); index++)
      this.descend(
        step,
        old.prefixItems[index] ?? old.items,
        revised.prefixItems[index] ?? revised.items,
        "prefixItems",
        own,
      );
    this.descend(step, old.items, revised.items, "items", own);
  }

  /** Compares the schemas of a field. One that is missing allows any value. */
  descend(step: Step, old: Nodes, revised: Nodes, keyword: string, places: Places): void {
    if (old.length > 0 && revised.length > 0) step.next.push(this.compare(old, revised, step.direction));
    else if (old.length > 0 && !isAny(this.#old.of(old)))
      step.relate("wider", keyword, places, `\`${keyword}\` was removed.`);
    else if (revised.length > 0 && !isAny(this.#new.of(revised)))
      step.relate("narrower", keyword, places, `\`${keyword}\` was added.`);
  }

  #compareConditions(step: Step, old: View, revised: View, places: Places): void {
    for (const name of new Set([...old.conditions.keys(), ...revised.conditions.keys()])) {
      const [one, other] = [old.conditions.get(name), revised.conditions.get(name)];
      const keyword = name.split("/", 1)[0] as string;
      if (one && other) step.next.push(this.compare(one, other, "unrated"));
      else step.addUnrated(keyword, places, `\`${keyword}\` was ${one ? "removed" : "added"}.`);
    }
  }

  #compareUnions({ step, old: oldNodes, new: newNodes }: Pair, old: View, revised: View): void {
    if (old.unions.length === 0 && revised.unions.length === 0) return;
    const keywordOf = ({ unions }: View) => nameOf((unions[0]?.[0]?.pointer ?? "").replace(/\/\d+$/, ""));
    const keyword = keywordOf(revised.unions.length > 0 ? revised : old);
    const places = placesOf(old, revised, keyword);
    if (old.unions.length === revised.unions.length)
      for (const [index, alternatives] of old.unions.entries())
        this.#compareAlternatives(step, alternatives, revised.unions[index] as Nodes, keyword, places);
    // One schema is an alternative of itself.
    else if (isAlternativeOf(old, revised))
      this.#compareAlternatives(step, oldNodes, revised.unions[0] as Nodes, keyword, places);
    else if (isAlternativeOf(revised, old))
      this.#compareAlternatives(step, old.unions[0] as Nodes, newNodes, keyword, places);
    else if (old.unions.length === 0) step.relate("narrower", keyword, places, `\`${keyword}\` was added.`);
    else if (revised.unions.length === 0) step.relate("wider", keyword, places, `\`${keyword}\` was removed.`);
    else step.addUnrated(keyword, places, `The number of \`${keyword}\` changed.`);
  }

  #compareAlternatives(step: Step, old: Nodes, revised: Nodes, keyword: string, places: Places): void {
    const pairs = this.#pair(old, revised);
    for (const [one, other] of pairs) step.next.push(this.compare([one], [other], step.direction));
    const paired = new Set<unknown>(pairs.flat());
    const report = (nodes: Nodes, relation: Relation, verb: string, toPlaces: (pointer: string) => Places) => {
      for (const node of nodes)
        if (!paired.has(node))
          step.relate(
            relation,
            keyword,
            toPlaces(node.pointer),
            `The alternative ${describeAlternative(node)} of \`${keyword}\` was ${verb}.`,
          );
    };
    report(old, "narrower", "removed", (pointer) => ({ ...places, old: pointer }));
    report(revised, "wider", "added", (pointer) => ({ ...places, new: pointer }));
  }

  // Alternatives have no names. Pairs those with the same reference or title first, then those that are most similar.
  #pair(old: Nodes, revised: Nodes): [SchemaNode, SchemaNode][] {
    const candidates = old.flatMap((one) =>
      revised.map((other) => ({ pair: [one, other] as [SchemaNode, SchemaNode], score: this.#similarity(one, other) })),
    );
    const paired = new Set<SchemaNode>();
    return candidates
      .filter(({ score }) => score >= 0.5)
      .sort((one, other) => other.score - one.score)
      .flatMap(({ pair }) => {
        if (pair.some((node) => paired.has(node))) return [];
        for (const node of pair) paired.add(node);
        return [pair];
      });
  }

  #similarity(one: SchemaNode, other: SchemaNode): number {
    const [name, otherName] = [labelOf(one), labelOf(other)];
    if (name !== undefined && name === otherName) return 3;
    if (isDeepStrictEqual(one.raw, other.raw)) return 2;
    const [old, revised] = [this.#old.of([one]), this.#new.of([other])];
    if (old.types.isDisjointFrom(revised.types)) return 0;
    const [names, otherNames] = [new Set(old.properties.keys()), new Set(revised.properties.keys())];
    const common = names.intersection(otherNames);
    const valuesOf = (views: Views, view: View, name: string) => views.of(view.properties.get(name) as Nodes).values;
    // Alternatives are often told apart by a property with one value.
    for (const property of common) {
      const [before, after] = [valuesOf(this.#old, old, property), valuesOf(this.#new, revised, property)];
      if (before?.size && after?.size && new Set(before.keys()).isDisjointFrom(after)) return 0;
    }
    const similarity = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
      one.intersection(other).size / one.union(other).size;
    return names.size + otherNames.size === 0
      ? 0.5 + similarity(old.types, revised.types) / 2
      : similarity(names, otherNames);
  }
}

function compareTypes(step: Step, old: View, revised: View, field: "types" | "ownTypes"): void {
  const [before, after] = [old[field], revised[field]];
  const relation = relationOf(before.difference(after), after.difference(before));
  const text = describeTexts("type", describeTypes(before), describeTypes(after));
  step.relate(relation, "type", placesOf(old, revised, "type"), text);
}

function compareValues(step: Step, old: View, revised: View): void {
  const [before, after] = [old, revised].map(({ values }) => values && new Set(values.keys()));
  const [values, newValues] = [old, revised].map((view) => view.values && [...view.values.values()]);
  const relation =
    before && after
      ? relationOf(before.difference(after), after.difference(before))
      : before
        ? "wider"
        : after && "narrower";
  step.relate(relation, "enum", placesOf(old, revised, "enum"), describeField("enum", values, newValues));
}

function compareLimit(step: Step, name: string, old: View, revised: View): void {
  const { relate, format } = limits.get(name) as NonNullable<ReturnType<typeof limits.get>>;
  const [before, after] = [old.limits.get(name), revised.limits.get(name)];
  const [text, newText] = [before, after].map((limit) => (limit === undefined ? undefined : format(limit)));
  step.relate(relate(before, after), name, placesOf(old, revised, name), describeTexts(name, text, newText));
}

// Returns the places of a keyword, or else of the schemas.
function placesOf(old: View, revised: View, keyword: string): Places {
  const [before = "", after = ""] = [old, revised].map(({ places, pointer }) =>
    places.has(keyword) ? `${places.get(keyword)}/${keyword}` : pointer,
  );
  return { old: before, new: after };
}

// Returns whether a schema says what one alternative of a union could say.
function isAlternativeOf(one: View, union: View): boolean {
  const isUnion = union.unions.length === 1 && isUnlimited({ ...union, unions: [] });
  return isUnion && one.unions.length === 0 && !isUnlimited(one);
}

function labelOf({ raw }: SchemaNode): string | undefined {
  const { $ref, title } = Object(raw);
  return typeof $ref === "string" ? nameOf($ref) : typeof title === "string" ? title : undefined;
}

function describeAlternative(node: SchemaNode): string {
  const label = labelOf(node);
  return label === undefined ? nameOf(node.pointer) : `\`${label}\``;
}
