// Turns schemas into functions, each at its first use.
import { getOrAdd, toJson } from "../../lib/index.ts";
import { asFork, Cell, type Check, type Marks } from "./evaluation.ts";
import type { Compiler, Formats, Keyword } from "./keyword.ts";
import { type SchemaNode, wholes } from "./node.ts";
import { keywordsOf, vocabulary } from "./vocabulary.ts";

/** Compiles the schemas of a document. */
export class SchemaCompiler implements Compiler {
  readonly formats: Formats;
  readonly dropsReadOnly: boolean;
  readonly #cells = new Map<unknown, Cell>(); // by the identity of the node
  readonly #basicCells = new Map<string, Cell>(); // of schemas without members and other schemas, by their text
  readonly #references = new Map<Cell, Cell>(); // to a cell
  readonly #marks = new Map<string, Marks>(); // by their text

  constructor(formats: Formats, dropsReadOnly: boolean) {
    this.formats = formats;
    this.dropsReadOnly = dropsReadOnly;
  }

  /** Returns the only cell of a schema, except in different dynamic scopes. */
  cellOf(node: SchemaNode): Cell {
    return getOrAdd(this.#cells, node.identity, () => this.#createCell(node));
  }

  // Equal basic schemas, of which a document has thousands, share a cell.
  #createCell(node: SchemaNode): Cell {
    const { schema, assertsFormats } = node;
    const names = keywordsOf(schema);
    const create = () => this.#compile(node);
    if (!names.every((name) => vocabulary.get(name)?.isBasic)) return new Cell(create);
    const requirements = names.map((name) => [name, schema[name]]);
    const text = toJson([requirements, schema.title, assertsFormats]); // the title is a part of messages
    return getOrAdd(this.#basicCells, text, () => new Cell(create));
  }

  /** Returns the cell of a reference to a schema. Follows a chain of references without recursion. */
  referTo(target: SchemaNode): Cell {
    const seen = new Set<unknown>();
    let node = target;
    while (isReference(node) && !seen.has(node.raw)) {
      seen.add(node.raw);
      node = node.resolve(node.schema.$ref as string);
    }
    const cell = this.cellOf(node);
    const follow: Check = (value, run, evaluated) => run.follow(cell, value, evaluated);
    return getOrAdd(this.#references, cell, () => new Cell(() => follow));
  }

  #compile(start: SchemaNode): Check {
    const checks: Checks = { basic: [], others: [], applicators: 0 };
    const nodes = [start]; // the schemas of `allOf` apply to the same value: their checks become those of the schema itself
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (node !== start && dependsOnOthers(node)) {
        const cell = this.cellOf(node);
        checks.others.push((value, run, evaluated) => cell.check(value, run, evaluated));
        checks.applicators += 1;
        continue;
      }
      this.#addChecks(node, checks);
      for (const child of node.children(wholes).reverse()) nodes.push(child.node);
    }
    let check = join(checks);
    for (const compileLast of new Set(keywordsOf(start.schema).map((name) => vocabulary.get(name)?.compileLast)))
      if (compileLast) check = compileLast(start, this, check);
    const dependsOnMarks = start.hasMarkers && checks.others.length > 0 && !isReference(start); // its target has its own
    return dependsOnMarks ? this.#withMarks(check, start) : check;
  }

  // The marks of the outermost schema of a value include those of all others that apply to it.
  #withMarks(check: Check, node: SchemaNode): Check {
    let marks: Marks | undefined;
    return (value, run, evaluated) => {
      const { position } = run;
      if (position.marks !== undefined) return check(value, run, evaluated);
      marks ??= this.#marksOf(node);
      position.marks = marks;
      const isValid = check(value, run, evaluated);
      position.marks = undefined;
      return isValid;
    };
  }

  // Results are cached by marks, so that equal ones must be the same object.
  #marksOf(node: SchemaNode): Marks {
    const marks = node.markedProperties();
    const text = JSON.stringify([...marks].sort());
    return getOrAdd(this.#marks, text, () => marks);
  }

  #addChecks(node: SchemaNode, checks: Checks): void {
    const compiled = new Set<unknown>();
    for (const name of keywordsOf(node.schema)) {
      const { compile, isBasic = false, applies } = vocabulary.get(name) as Keyword;
      if (compile === undefined || compiled.has(compile)) continue;
      compiled.add(compile);
      const check = compile(node, this);
      if (check === undefined) continue;
      (isBasic ? checks.basic : checks.others).push(check);
      if (applies !== undefined) checks.applicators += 1;
    }
  }
}

interface Checks {
  readonly basic: Check[];
  readonly others: Check[];
  /** How many of the others apply schemas to the value or its members. */
  applicators: number;
}

function isReference({ schema }: SchemaNode): boolean {
  const names = keywordsOf(schema);
  return names.length === 1 && names[0] === "$ref";
}

function dependsOnOthers({ schema }: SchemaNode): boolean {
  return keywordsOf(schema).some((name) => vocabulary.get(name)?.compileLast !== undefined);
}

function join({ basic, others, applicators }: Checks): Check {
  const all = applicators > 1 ? asFork(joinAll(others)) : joinAll(others);
  return others.length === 0 ? joinInOrder(basic) : joinInOrder([...basic, all]);
}

/** Joins checks of which the first that fails ends the others. */
function joinInOrder(checks: readonly Check[]): Check {
  const [first, second, ...others] = checks;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (others.length === 0)
    return (value, run, evaluated) => first(value, run, evaluated) && second(value, run, evaluated);
  return (value, run, evaluated) => {
    for (const check of checks) if (!check(value, run, evaluated)) return false;
    return true;
  };
}

/** Joins checks that each find other failures. */
function joinAll(checks: readonly Check[]): Check {
  const [first, second] = checks;
  if (first !== undefined && second === undefined) return first;
  return (value, run, evaluated) => {
    let isValid = true;
    for (const check of checks) {
      if (check(value, run, evaluated)) continue;
      if (run.isFull) return false;
      isValid = false;
    }
    return isValid;
  };
}
