// Makes records that look like real ones, and that match their schema.

import type { Faker } from "@faker-js/faker";
import { type Checked, getOrAdd, toSnakeCase } from "../../lib/index.ts";
import {
  createExample,
  ExampleCache,
  type ExampleMember,
  type SchemaNode,
  type ValueSource,
} from "../../openapi/index.ts";
import type { Resource } from "../record/resource.ts";
import { SeedValues } from "./seed-values.ts";

type Members = Readonly<Record<string, unknown>>;

/** A record that exists. */
export interface Reference {
  readonly id: unknown;
  readonly members: Members;
}

/** Returns a record that exists, for a member that is named like its collection; undefined if there is none. */
export type FindReference = (name: string) => Reference | undefined;

/** An object that is made: what its members have in common, and the other record that it is a part of. */
interface SeededObject {
  readonly subject: Map<string, unknown>;
  readonly other: Reference | undefined;
}

/** Makes the records of a collection. */
export class SeedMaker {
  readonly #resource: Resource;
  readonly #faker: Faker;
  readonly #values: SeedValues;
  readonly #validate: (record: object) => Checked<object>;
  readonly #node: SchemaNode;
  #cache = new ExampleCache();
  #isLimited = true;

  constructor(resource: Resource, faker: Faker) {
    const { record } = resource;
    this.#resource = resource;
    this.#faker = faker;
    this.#values = new SeedValues(faker);
    this.#validate = record.createValidator("response");
    this.#node = record.document.schemas.at(record.pointer);
  }

  /**
   * Returns a record with values by the names of its members, and with `fixed` ones. Its members are also valid in a request, if they can
   * be. Undefined if none was found that matches the schema.
   */
  make(find: FindReference, fixed: Members): object | undefined {
    const { record } = this.#resource;
    let made: object | undefined;
    const isValid = (value: unknown) => {
      const one = { ...(value as Members), ...fixed };
      if (this.#validate(this.#resource.withExampleId(one)).problem === undefined) made = one;
      return made !== undefined;
    };
    createExample(this.#node, isValid, {
      source: this.#sourceOf(find),
      matches: record.document.schemas.matches,
      limits: (name) => (this.#isLimited ? this.#limitsOf(name) : []),
      cache: this.#cache,
    });
    if (made || !this.#isLimited) return made;
    this.#isLimited = false;
    this.#cache = new ExampleCache();
    return this.make(find, fixed);
  }

  // The schemas of a member in a request, if it has the same form.
  #limitsOf(name: string): readonly SchemaNode[] {
    const { record, newRecord } = this.#resource;
    const sample = Object(newRecord.example)[name];
    const isSame = newRecord.canHave(name) && sample !== undefined && record.accepts(name, sample);
    return isSame ? newRecord.parts.flatMap((part) => part.property(name)) : [];
  }

  #sourceOf(find: FindReference): ValueSource {
    const faker = this.#faker;
    const values = this.#values;
    const own = this.#resource.recordName.replace(/_(dto|details?|model|out|output|read|resource|response|view)$/, "");
    const objects = new Map<object, SeededObject>();
    const objectOf = ({ object, owner }: ExampleMember): SeededObject =>
      getOrAdd(objects, object, () => ({ subject: new Map(), other: owner && referenceOf(owner) }));
    // `author` and `author_id` of an object refer to the same record.
    const referenceOf = (member: ExampleMember): Reference | undefined => {
      const key = `${toSnakeCase(member.name).replace(/_(pk|id|uuid|key|slug)$/, "")} record`;
      const { subject } = objectOf(member);
      const reference = (subject.get(key) as Reference | undefined) ?? find(member.name);
      if (!key.endsWith("s record")) subject.set(key, reference);
      return reference;
    };
    return {
      random: (count) => faker.number.int(count - 1),
      *valuesOf(member, keywords, example) {
        const { owner } = member;
        const name = toSnakeCase(member.name);
        const { subject, other } = objectOf(member);
        // What an object has of another record is as that one has it.
        if (other) yield* [other.members[member.name] ?? [], /^(id|uuid|key|slug)$/.test(name) ? other.id : []].flat();
        const id = keywords.type === "object" ? undefined : referenceOf(member)?.id;
        if (id !== undefined) yield* [id, `${id}`];
        const thing = owner ? toSnakeCase(owner.name).replace(/s$/, "") : own;
        yield* values.of({ ...member, name, thing, subject, keywords, example });
      },
    };
  }
}
