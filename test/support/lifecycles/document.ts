// A document as the harness for lifecycles reads it: on its own, without the code that is tested.
import { readFileSync } from "node:fs";
import { load } from "js-yaml";

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  /** The path of its first server; empty if it has none. */
  readonly basePath: string;
  readonly raw: Json;
  readonly parameters: readonly Json[];
}

interface Shape {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
}

const methods = ["get", "put", "post", "patch", "delete"];

/** A document in one file, of OpenAPI 3.0 or 3.1. */
export class RawDocument {
  readonly root: Json;
  readonly operations: readonly Operation[];

  constructor(root: Json) {
    this.root = root;
    this.operations = Object.entries(Object(root.paths) as Record<string, Json>).flatMap(([path, item]) =>
      methods
        .filter((method) => item[method])
        .map((method) => {
          const raw = item[method] as Json;
          const all = [...list(raw.parameters), ...list(item.parameters)].map((one) => this.resolve(one));
          const isFirst = (one: Json, index: number) =>
            all.findIndex((other) => other.name === one.name && other.in === one.in) === index;
          const basePath = basePathOf(raw.servers ?? item.servers ?? root.servers);
          return { method: method.toUpperCase(), path, basePath, raw, parameters: all.filter(isFirst) };
        }),
    );
  }

  static read(file: string): RawDocument {
    const text = readFileSync(file, "utf8");
    return new RawDocument((file.endsWith(".json") ? JSON.parse(text) : load(text)) as Json);
  }

  find(method: string, path: string): Operation | undefined {
    return this.operations.find((one) => one.method === method && one.path === path);
  }

  /** Returns the object to which a reference leads, with what is written beside the reference. */
  resolve(value: unknown): Json {
    let found = Object(value) as Json;
    let beside: Json = {};
    for (let hops = 0; typeof found.$ref === "string" && hops < 20; hops++) {
      const { $ref, ...others } = found as Json & { readonly $ref: string };
      beside = { ...others, ...beside };
      const names = $ref.slice(2).split("/");
      const keys = names.map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
      found = keys.reduce<Json>((at, key) => Object(at[key]) as Json, this.root);
    }
    found = this.#mergeValue(found);
    if (Object.keys(beside).length === 0) return found;
    const required = [...list(found.required), ...list(beside.required)];
    return { ...found, ...beside, ...(required.length > 0 && { required }) };
  }

  // A value that is no object can have its keywords in several parts.
  #mergeValue(schema: Json): Json {
    const parts = list(schema.allOf);
    if (parts.length === 0 || schema.properties !== undefined) return schema;
    const all = parts.map((one) => this.resolve(one));
    return all.some(({ type }) => typeof type === "string" && type !== "object")
      ? Object.assign({}, ...all, schema, { allOf: undefined })
      : schema;
  }

  /** Returns the members of an object, also those of its alternatives. */
  properties(schema: unknown, depth = 0): Readonly<Record<string, Json>> {
    const found = this.resolve(schema);
    if (depth > 5) return {};
    const parts = [...list(found.allOf), ...list(found.anyOf), ...list(found.oneOf)];
    return this.#merge([...parts.map((one) => this.properties(one, depth + 1)), Object(found.properties)]);
  }

  /** Returns the values that a schema lists, or all of its alternatives; empty if it lists none. */
  valuesOf(schema: unknown): readonly unknown[] {
    const { enum: values, oneOf, anyOf } = this.resolve(schema);
    const parts = [...list(oneOf), ...list(anyOf)].map((one) => list(this.resolve(one).enum));
    return Array.isArray(values) ? values : parts.every((one) => one.length > 0) ? parts.flat() : [];
  }

  /** Returns the types that a value can have, also of alternatives; empty if any. */
  types(schema: unknown, depth = 0): readonly unknown[] {
    const { type, allOf, anyOf, oneOf, properties } = this.resolve(schema);
    const parts = depth > 5 ? [] : [...list(allOf), ...list(anyOf), ...list(oneOf)];
    const own = [type ?? (properties === undefined ? [] : "object")].flat();
    return [...own, ...parts.flatMap((one) => this.types(one, depth + 1))];
  }

  /** Returns the members of an object that a request can have, and those that it must have: of all of `allOf`, and of one alternative. */
  shape(schema: unknown, choice = 0, depth = 0): Shape {
    const found = this.resolve(schema);
    if (depth > 5) return { properties: {}, required: [] };
    const alternatives = [...list(found.oneOf), ...list(found.anyOf)];
    const first = alternatives[choice % alternatives.length];
    const { propertyName, mapping } = Object(found.discriminator) as { propertyName?: string; mapping?: Json };
    const reference = Object(first).$ref as string | undefined;
    const [key = reference?.split("/").at(-1)] = Object.entries(mapping ?? {}).flatMap(([one, target]) =>
      target === reference ? [one] : [],
    );
    const values = propertyName === undefined ? [] : list(this.resolve(this.properties(first)[propertyName]).enum);
    // Without a mapping, the values can be parts of the names of schemas.
    const like = values.find((one) => key?.toLowerCase().includes(`${one}`.toLowerCase()));
    const value = values.length === 0 || values.includes(key) ? key : like;
    const isDeclared = propertyName !== undefined && Object.hasOwn(this.properties(first), propertyName);
    const chosen = isDeclared && value !== undefined ? { [propertyName]: { const: value } } : {};
    const parts = [...list(found.allOf), ...(first === undefined ? [] : [first])];
    const shapes = parts.map((one) => this.shape(one, choice, depth + 1));
    return {
      properties: this.#merge([Object(found.properties), ...shapes.map(({ properties }) => properties), chosen]),
      required: [...new Set([...shapes.flatMap(({ required }) => required), ...list(found.required)])] as string[],
    };
  }

  // A member of several parts has the keywords of all. It is read-only if it is so in one.
  #merge(parts: readonly Readonly<Record<string, Json>>[]): Readonly<Record<string, Json>> {
    const merged = new Map<string, Json>();
    for (const [name, schema] of parts.flatMap((one) => Object.entries(one))) {
      const [before, own] = [merged.get(name), this.resolve(schema)];
      const isReadOnly = before?.readOnly === true || own.readOnly === true;
      merged.set(name, before === undefined ? schema : { ...before, ...own, ...(isReadOnly && { readOnly: true }) });
    }
    return Object.fromEntries(merged);
  }

  /** Returns the first media type of a body with a schema that a client can send or read. */
  content(holder: unknown, wanted: readonly RegExp[]): { type: string; schema: unknown } | undefined {
    const content = Object(this.resolve(holder).content) as Record<string, Json>;
    for (const pattern of wanted)
      for (const [type, { schema }] of Object.entries(content))
        if (pattern.test(type) && schema) return { type, schema };
    return undefined;
  }

  /** Whether an operation declares a status. */
  declares({ raw }: Operation, status: number): boolean {
    return responseKey(raw, status) !== undefined;
  }

  /** Returns the pointer of the schema of a JSON response with a status. */
  responsePointer({ raw, path, method }: Operation, status: number): string | undefined {
    const responses = Object(raw.responses) as Record<string, unknown>;
    const key = responseKey(raw, status);
    if (key === undefined) return undefined;
    const found = this.content(responses[key], [jsonType]);
    if (found === undefined) return undefined;
    return contentPointer(responses[key], [path, method.toLowerCase(), "responses", key], found.type);
  }

  /** Returns the pointer of the schema of a body of a media type. */
  bodyPointer({ raw, path, method }: Operation, type: string): string {
    return contentPointer(raw.requestBody, [path, method.toLowerCase(), "requestBody"], type);
  }

  /** Returns the schema of the first success that has content. */
  success({ raw }: Operation): unknown {
    const responses = Object(raw.responses) as Record<string, unknown>;
    const statuses = Object.keys(responses).filter((one) => /^2/.test(one));
    return statuses.map((one) => this.content(responses[one], [jsonType])?.schema).find((one) => one !== undefined);
  }
}

function basePathOf(servers: unknown): string {
  const [server] = list(servers) as { readonly url?: string }[];
  const url = (server?.url ?? "").replaceAll(/\{[^{}]*\}/g, "x");
  return new URL(url, "http://localhost").pathname.replace(/\/$/, "");
}

function responseKey({ responses }: Json, status: number): string | undefined {
  const declared = Object(responses) as Json;
  return [`${status}`, `${`${status}`[0]}XX`, "default"].find((one) => declared[one] !== undefined);
}

export const jsonType = /^application\/([\w.-]+\+)?json\b/;

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

// A response or body can be a reference.
function contentPointer(holder: unknown, path: readonly string[], type: string): string {
  const { $ref = `#/paths/${path.map(escapeToken).join("/")}` } = Object(holder) as { readonly $ref?: string };
  return `${$ref}/content/${escapeToken(type)}/schema`;
}

function escapeToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
