// Types of schemas that contain themselves without an object between, such as an array of arrays. As members of an interface,
// they do not compile (TS2502). As aliases, they do.
import type {
  Node,
  PropertySignature,
  TransformationContext,
  TypeElement,
  TypeNode,
  default as typescript,
  Visitor,
} from "typescript";

type TypeScript = typeof typescript;

/** Returns the nodes of openapi-typescript, with an alias for each type of a component that refers to itself. */
export function aliasRecursiveTypes(nodes: readonly Node[], ts: TypeScript): Node[] {
  const types = listSchemaTypes(nodes, ts);
  const references = new Map([...types].map(([name, { type }]) => [name, listReferences(type as TypeNode, ts)]));
  const aliases = new Map<string, string>(); // by name of the component
  const declared = new Map<Node, string>(); // by member of the interface
  for (const [name, member] of types)
    if (isRecursive(name, references)) {
      const alias = `Recursive${aliases.size + 1}_${name.replaceAll(/\W/g, "_")}`;
      aliases.set(name, alias);
      declared.set(member, alias);
    }
  if (aliases.size === 0) return [...nodes];
  const { factory } = ts;
  const declarations: Node[] = [];
  const replaceIn =
    (context: TransformationContext) =>
    (root: Node): Node => {
      const visit: Visitor = (node) => {
        const alias = aliases.get(referenceOf(node, ts) ?? "");
        if (alias !== undefined) return factory.createTypeReferenceNode(alias);
        const visited = ts.visitEachChild(node, visit, context);
        const own = declared.get(node);
        if (own === undefined) return visited;
        const { modifiers, name, questionToken, type } = visited as PropertySignature;
        declarations.push(factory.createTypeAliasDeclaration(undefined, own, undefined, type as TypeNode));
        const reference = factory.createTypeReferenceNode(own);
        return factory.updatePropertySignature(visited as PropertySignature, modifiers, name, questionToken, reference);
      };
      return ts.visitNode(root, visit) as Node;
    };
  const { transformed } = ts.transform([...nodes], [replaceIn]);
  return [...transformed, ...declarations];
}

// The members of `components["schemas"]`.
function listSchemaTypes(nodes: readonly Node[], ts: TypeScript): ReadonlyMap<string, PropertySignature> {
  const components = nodes.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "components");
  const sections = (components as { readonly members?: readonly TypeElement[] } | undefined)?.members ?? [];
  const schemas = sections.find((member) => nameOf(member, ts) === "schemas") as PropertySignature | undefined;
  if (schemas?.type === undefined || !ts.isTypeLiteralNode(schemas.type)) return new Map();
  return new Map(
    schemas.type.members.flatMap((member) => {
      const name = nameOf(member, ts);
      return name !== undefined && ts.isPropertySignature(member) && member.type ? [[name, member] as const] : [];
    }),
  );
}

function nameOf({ name }: TypeElement, ts: TypeScript): string | undefined {
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name))
    ? name.text
    : undefined;
}

// The components that a type refers to, but not those of the members of objects, which the compiler resolves later.
function listReferences(type: TypeNode, ts: TypeScript): readonly string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    const name = referenceOf(node, ts);
    if (name !== undefined) found.push(name);
    else if (!ts.isTypeLiteralNode(node)) ts.forEachChild(node, visit);
  };
  visit(type);
  return found;
}

// The name in `components["schemas"]["name"]`.
function referenceOf(node: Node, ts: TypeScript): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  const [section, name] = [node.objectType.indexType, node.indexType].map((index) =>
    ts.isLiteralTypeNode(index) && ts.isStringLiteral(index.literal) ? index.literal.text : undefined,
  );
  return section === "schemas" ? name : undefined;
}

function isRecursive(name: string, references: ReadonlyMap<string, readonly string[]>): boolean {
  const reached = new Set(references.get(name));
  for (const other of reached) for (const next of references.get(other) ?? []) reached.add(next); // grows
  return reached.has(name);
}
