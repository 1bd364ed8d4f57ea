// Makes records that look like real ones, and that match their schema.

import type { Faker } from "@faker-js/faker";
import { toSnakeCase } from "../../lib/index.ts";
import { itemSchemas, RecordSchema } from "../record/record-schema.ts";
import type { Resource } from "../record/resource.ts";
import { seedValues } from "./seed-values.ts";

const maxDepth = 4; // of objects in objects
const attempts = 5;

type Members = Readonly<Record<string, unknown>>;

/** What is known when a record is made. */
export interface RecordContext {
  readonly faker: Faker;
  /** Returns the id of a record that exists, for a property that is named like its resource; undefined if there is none. */
  readonly reference: (name: string) => unknown;
  /** Members with the values that they must have. */
  readonly fixed: Members;
}

/** Returns a record with values by the names of its properties; undefined if none was found that matches the schema. */
export function makeSeed(resource: Resource, context: RecordContext): object | undefined {
  const validate = resource.record.createValidator("response");
  const maker = new SeedMaker(context);
  const isValid = (record: object) => validate(resource.withExampleId(record)).problem === undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const record = { ...maker.object(resource.record, 0, resource.recordName), ...context.fixed };
    if (isValid(record)) return record;
  }
  const example = Object(resource.record.example) as object;
  return isValid(example) ? example : undefined;
}

/** Where an object is: how deep, and what it is. */
interface ObjectPlace {
  readonly depth: number;
  readonly thing: string;
}

class SeedMaker {
  readonly #context: RecordContext;

  constructor(context: RecordContext) {
    this.#context = context;
  }

  /** Returns an object with values by the names of its properties. `thing` is what it is, such as `owner`. */
  object(schema: RecordSchema, depth: number, thing: string): Members {
    const example = Object(schema.example) as Members;
    const names = depth < maxDepth ? Object.keys(example) : schema.required;
    const members = names.map((name) => [name, this.#member(schema, name, example[name], { depth, thing })] as const);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }

  #member(schema: RecordSchema, name: string, example: unknown, place: ObjectPlace): unknown {
    const accept = (value: unknown) => (value !== undefined && schema.accepts(name, value) ? value : undefined);
    const nodes = schema.property(name);
    const values = nodes.find(({ schema: { enum: all } }) => Array.isArray(all))?.schema.enum as unknown[] | undefined;
    if (values) return accept(this.#context.faker.helpers.arrayElement(values)) ?? example;
    if (nodes.some(({ schema: { const: value } }) => value !== undefined)) return example;
    const reference = accept(this.#context.reference(name));
    if (reference !== undefined) return reference;
    const items = itemSchemas(nodes)?.[0];
    if (Array.isArray(example) && items) {
      const item = RecordSchema.of(schema.document, items);
      const count = this.#context.faker.number.int({ min: 1, max: 3 });
      const list = Array.from({ length: count }, (_, index) =>
        this.#value(item, name, example[index] ?? example[0], place),
      );
      return accept([...new Set(list)]) ?? example;
    }
    const member = schema.member(name);
    return member ? (accept(this.#value(member, name, example, place)) ?? example) : example;
  }

  #value(schema: RecordSchema, name: string, example: unknown, { depth, thing }: ObjectPlace): unknown {
    if (schema.propertyNames.length > 0 && typeof example === "object" && example !== null)
      return depth < maxDepth ? this.object(schema, depth + 1, toSnakeCase(name).replace(/s$/, "")) : example;
    const keywords = Object.assign({}, ...schema.parts.map((part) => part.schema)) as Members;
    if (Array.isArray(keywords.enum)) return this.#context.faker.helpers.arrayElement(keywords.enum);
    for (const value of seedValues(
      this.#context.faker,
      name === "name" ? `${thing}_name` : toSnakeCase(name),
      keywords,
    ))
      if (schema.acceptsAt([], value)) return value;
    return example;
  }
}
