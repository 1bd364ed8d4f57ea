// The arguments of a tool: the parameters of its operation, and the members of its body.
import { isObject } from "../lib/index.ts";
import type { Document, Operation, Part } from "../openapi/index.ts";
import { formatOf, listContents } from "../openapi/tools.ts";
import { type JsonSchema, type SchemaWriter, toNote } from "./json-schema.ts";

/** The arguments of an operation. */
export interface Layout {
  readonly parameters: readonly { readonly argument: string; readonly part: Operation["parameterParts"][number] }[];
  readonly body?: BodyLayout | undefined;
}

interface BodyLayout {
  readonly mediaType: string;
  readonly part: ReturnType<typeof listBodies>[number][1];
  /** The name of the argument that is the whole body. Undefined if its members are arguments. */
  readonly argument: string | undefined;
}

const formats = ["json", "form", "multipart", "text", "stream"];
// A schema with other keywords than these requires something of all members together.
const described =
  /^(type|properties|required|additionalProperties|allOf|\$ref|title|description|examples?|deprecated|default|externalDocs|xml|x-.*)$/;

// Headers about the origin and the transport of a request: those of the agent are sent, also if a document declares them.
const reserved =
  /^(connection|content-(encoding|length|type)|forwarded|host|te|trailer|transfer-encoding|upgrade|x-forwarded-.*)$/i;

const listBodies = (operation: Operation) =>
  listContents(operation.part.at("requestBody")?.membersOf("content") ?? []).sort(
    ([one], [other]) => formats.indexOf(formatOf(one)) - formats.indexOf(formatOf(other)),
  );

/** Returns a name that clients accept, and that is not taken. */
export function toName(text: string, isTaken: (name: string) => boolean): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60);
  let free = name;
  for (let number = 2; isTaken(free) || free === ""; number++) free = `${name}_${number}`;
  return free;
}

/** Returns the arguments of an operation, without credentials. The members of a body are arguments if no name clashes. */
export function layoutOf(operation: Operation, { schemas }: Document): Layout {
  const keys = operation.security.flat().map(({ scheme }) => scheme);
  const isKey = ({ value }: Operation["parameterParts"][number]) =>
    keys.some(({ type, name, in: place }) => type === "apiKey" && place === value.in && name === value.name);
  const taken = new Set<string>();
  const parameters = operation.parameterParts
    .filter((part) => !isKey(part) && !(part.value.in === "header" && reserved.test(part.value.name)))
    .map((part) => {
      const { name, in: location } = part.value;
      const argument = toName(taken.has(name) ? `${location}_${name}` : name, (one) => taken.has(one));
      taken.add(argument);
      return { argument, part };
    });
  const [mediaType, part] = (operation.body && listBodies(operation)[0]) ?? [];
  if (mediaType === undefined || part === undefined) return { parameters };
  const isFlat = () => {
    const schema = part.written("schema");
    if (schema === undefined || !/^(json|form|multipart)$/.test(formatOf(mediaType))) return false;
    const parts = schemas.at(schema.pointer).parts();
    const names = parts.flatMap((one) => one.childrenOf("properties").map(({ key }) => key));
    const { types } = schemas.shapeAt(schema.pointer);
    return (
      [...types].join() === "object" &&
      new Set(names).size === names.length &&
      names.length > 0 &&
      names.every((name) => /^[\w.-]{1,64}$/.test(name) && !taken.has(name)) &&
      parts.every((one) => Object.keys(one.schema).every((keyword) => described.test(keyword))) &&
      (operation.body?.required || parts.every((one) => one.schema.required === undefined)) &&
      parts.filter(({ schema }) => (schema.properties ?? schema.additionalProperties) !== undefined).length === 1
    );
  };
  const argument = isFlat() ? undefined : toName("body", (one) => taken.has(one));
  return { parameters, body: { mediaType, part, argument } };
}

/** Writes the schema of the arguments. */
export function writeArguments(
  writer: SchemaWriter,
  { parameters, body }: Layout,
  operation: Operation,
  { schemas }: Document,
) {
  const properties: JsonSchema = {};
  const required: string[] = [];
  let additionalProperties: unknown = false;
  const write = (part: Part<object> | undefined, description?: unknown) => {
    const schema = (part as Part<{ readonly schema?: object }> | undefined)?.written("schema");
    const written = schema === undefined ? {} : writer.write(schemas.at(schema.pointer), 1);
    const note = typeof description === "string" && writer.hasNotes ? { description: toNote(description) } : {};
    return isObject(written) ? { ...written, ...note } : written;
  };
  for (const { argument, part } of parameters) {
    const [, content] = listContents(part.membersOf("content"))[0] ?? [];
    properties[argument] = write(content ?? part, Reflect.get(part.value, "description"));
    if (part.value.required) required.push(argument);
  }
  if (body?.argument !== undefined) {
    const isBytes = formatOf(body.mediaType) === "stream";
    properties[body.argument] = isBytes ? { type: "string", contentEncoding: "base64" } : write(body.part);
    if (operation.body?.required) required.push(body.argument);
  } else if (body) {
    const whole = schemas.at(`${body.part.pointer}/schema`);
    const hidden = writer.hiddenMembers(whole);
    for (const node of whole.parts()) {
      const own = Object(writer.write(node, 0, true)) as JsonSchema;
      Object.assign(properties, own.properties);
      required.push(...((own.required ?? []) as string[]).filter((name) => !hidden.has(name)));
      if (node.schema.properties !== undefined) additionalProperties = own.additionalProperties;
    }
  }
  return { properties, ...(required.length > 0 && { required }), additionalProperties };
}
