// Generates the types of handlers and clients from a document: those of openapi-typescript, with bigint for int64.
import type { SchemaObject as SchemaOfTypes } from "openapi-typescript";
import type { Identifier, InterfaceDeclaration, Node, TypeLiteralNode, default as typescript } from "typescript";
import type { Document } from "../document/document.ts";
import { aliasRecursiveTypes } from "./recursive-types.ts";
import { SafeNames } from "./safe-names.ts";
import { toTypeDocument } from "./type-document.ts";
import { literalsKey, type TypeSchema } from "./type-schemas.ts";

export interface GenerateOptions {
  /** The type of a schema with `x-extensible-enum`: its values, or any string. */
  readonly extensibleEnums: "union" | "string";
  /** Whether a parameter with a default always has a value, as in a handler. In a client, it can be missing. */
  readonly fillsDefaults: boolean;
  /** The operations that need a handler, also with a store: their types have `handler: "required"`. The default is none. */
  readonly unanswered?: readonly string[] | undefined;
}

/** The options for the types of handlers. */
export const handlerTypes = { extensibleEnums: "union", fillsDefaults: true } as const;

/**
 * Returns the source text of the types of a document, for `Handlers<operations>`. The schema of a component has the type of
 * responses: without write-only members. If requests have another one, its name ends with `(request)` or, in a form, `(form)`. Needs
 * the package openapi-typescript, and rejects with an Error if it is not installed.
 */
export async function generateTypes(document: Document, options: GenerateOptions = handlerTypes): Promise<string> {
  const { astToString, openapiTS, ts } = await loadGenerator();
  const { factory, SyntaxKind } = ts;
  const literalTypes: Readonly<Record<string, () => import("typescript").TypeNode>> = {
    bigint: () => factory.createKeywordTypeNode(SyntaxKind.BigIntKeyword),
    undefined: () => factory.createKeywordTypeNode(SyntaxKind.UndefinedKeyword),
    File: () => factory.createTypeReferenceNode("File"),
  };
  const toType = (literal: string) => literalTypes[literal]?.() ?? factory.createTypeReferenceNode(literal);
  const toUnion = (literals: readonly string[]) =>
    literals.length === 0
      ? factory.createKeywordTypeNode(SyntaxKind.NeverKeyword)
      : literals.length === 1
        ? toType(literals[0] as string)
        : factory.createUnionTypeNode(literals.map(toType));
  const names = new SafeNames();
  const content = names.replaceIn(toTypeDocument(document, { ...options, hasNotes: true }) as never);
  const nodes = await openapiTS(content as never, {
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
    silent: true,
    transform: (schema: SchemaOfTypes) => {
      const { [literalsKey]: literals, "x-extensible-enum": values } = schema as TypeSchema;
      if (Array.isArray(literals)) return toUnion(literals);
      if (options.extensibleEnums !== "union" || !Array.isArray(values)) return undefined;
      return toUnion(values.map((value) => JSON.stringify(value)));
    },
  });
  const unanswered = new Set(options.unanswered?.map((id) => names.replaceIn(id, "operationId")));
  requireHandlers(nodes, (id) => unanswered.has(id), ts);
  return names.restoreIn(astToString(aliasRecursiveTypes(nodes, ts) as typeof nodes));
}

// Adds `handler: "required"` to the types of operations.
function requireHandlers(nodes: readonly Node[], isRequired: (id: string) => boolean, ts: typeof typescript): void {
  const { factory } = ts;
  const isOperations = (node: Node): node is InterfaceDeclaration =>
    ts.isInterfaceDeclaration(node) && node.name.text === "operations";
  for (const member of nodes.find(isOperations)?.members ?? []) {
    if (!ts.isPropertySignature(member) || !isRequired((member.name as Identifier).text)) continue;
    const type = member.type as TypeLiteralNode;
    const required = factory.createLiteralTypeNode(factory.createStringLiteral("required"));
    const mark = factory.createPropertySignature(undefined, "handler", undefined, required);
    Object.assign(type, { members: factory.createNodeArray([...type.members, mark]) });
  }
}

async function loadGenerator() {
  const [{ astToString, default: openapiTS }, { default: ts }] = await Promise.all([
    import("openapi-typescript"),
    import("typescript"),
  ]).catch(() => {
    throw new Error("Generating types needs two packages. Run npm install --save-dev openapi-typescript typescript@5.");
  });
  return { astToString, openapiTS, ts };
}
