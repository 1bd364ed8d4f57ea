// The operations that agents can call, and their descriptions as tools of the Model Context Protocol.
import { isObject } from "../lib/index.ts";
import type { Document, Operation, SchemaNode } from "../openapi/index.ts";
import { isJson, listContents } from "../openapi/tools.ts";
import { type Layout, layoutOf, toName, writeArguments } from "./arguments.ts";
import { toNote, writeSchema } from "./json-schema.ts";

/** An operation that agents can call. */
export interface Tool {
  readonly name: string;
  readonly operation: Operation;
  readonly layout: Layout;
  readonly description: string;
  /** The schema of its success, if that is one JSON object. */
  readonly output: SchemaNode | undefined;
}

const maxDescription = 1_000; // characters

/**
 * Returns the operations that `x-mcp` does not exclude, or of these, those whose operationIds or tags are included. Throws an Error that
 * names what is wrong.
 */
export function listTools(document: Document, include: readonly string[] = []): Tool[] {
  const { operations } = document;
  const tagsOf = ({ part }: Operation) => [part.value.tags ?? []].flat();
  const unknown = include.find((name) => !operations.some((one) => one.id === name || tagsOf(one).includes(name)));
  if (unknown !== undefined)
    throw new Error(`No operation has the operationId or the tag ${unknown}, which is included.`);
  const names = new Set<string>();
  return operations.flatMap((operation) => {
    const { id, path, part } = operation;
    const parts = [part, document.root.at("paths")?.at(path), document.root];
    const own = readExtension(part.value, id);
    const nearest = parts.map((one) => readExtension(one?.value, id)).find((one) => one !== undefined);
    if (nearest === false) return [];
    if (include.length > 0 && !include.some((name) => name === id || tagsOf(operation).includes(name))) return [];
    const { name = id, description = describe(operation) } = isObject(own) ? own : {};
    const unique = toName(name, (one) => names.has(one));
    names.add(unique);
    const layout = layoutOf(operation, document);
    return [
      {
        name: unique,
        operation,
        layout,
        description: toNote(description, maxDescription),
        output: findOutput(operation, document),
      },
    ];
  });
}

type Extension = boolean | { readonly name?: string; readonly description?: string } | undefined;

function readExtension(value: unknown, id: string): Extension {
  const extension = Object(value)["x-mcp"] as Extension;
  const isText = (one: unknown) => one === undefined || (typeof one === "string" && one !== "");
  const isKnown = isObject(extension) && isText(extension.name) && isText(extension.description);
  if (extension === undefined || typeof extension === "boolean" || isKnown) return extension;
  throw new Error(`The x-mcp of the operation ${id} must be false, or an object with a name and a description.`);
}

function describe({ method, path, part, deprecation }: Operation): string {
  const { summary, description } = part.value as { readonly summary?: string; readonly description?: string };
  const texts = [summary, description].filter((text, index, all) => text && (index === 0 || text !== all[0]));
  return [...(deprecation ? ["Deprecated."] : []), ...(texts.length > 0 ? texts : [`${method} ${path}`])].join("\n\n");
}

function findOutput({ part }: Operation, { schemas }: Document): SchemaNode | undefined {
  const successes = part.membersOf("responses").filter(([status]) => /^2/.test(status));
  const contents = successes.flatMap(([, response]) => listContents(response.membersOf("content")));
  const [[type = "", content] = []] = contents;
  if (successes.length !== 1 || contents.length !== 1 || !isJson(type)) return undefined;
  const schema = content?.written("schema");
  return schema && [...schemas.shapeAt(schema.pointer).types].join() === "object"
    ? schemas.at(schema.pointer)
    : undefined;
}

/** Returns the definition of a tool, whose schemas have at most `length` characters each, unless their names alone have more. */
export function defineTool({ name, operation, layout, description, output }: Tool, document: Document, length: number) {
  const { summary } = operation.part.value;
  const isSafe = /^(GET|HEAD|OPTIONS|QUERY|TRACE)$/.test(operation.method);
  const isIdempotent = isSafe || /^(PUT|DELETE)$/.test(operation.method);
  return {
    name,
    ...(summary && { title: toNote(summary, 100) }),
    description,
    inputSchema: writeSchema("client", length, (writer) => writeArguments(writer, layout, operation, document)),
    ...(output && { outputSchema: writeSchema("server", length, (writer) => writer.write(output)) }),
    annotations: {
      readOnlyHint: isSafe,
      // A POST can be anything: clients then assume that it is destructive.
      ...(!isSafe && operation.method !== "POST" && { destructiveHint: true }),
      idempotentHint: isIdempotent,
      openWorldHint: false,
    },
  };
}
