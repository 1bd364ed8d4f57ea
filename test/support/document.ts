// Changes the document for tests. A change applies to the content of the document, whatever its text looks like.
import { parse, stringify } from "yaml";
import { documentText } from "./files.ts";

/** A part of the document. */
export type Node = ReturnType<typeof parse>;

/** A change of the content of the document. */
export type Change = (document: Node) => unknown;

const toJson = (document: Node) =>
  JSON.stringify(document, (_, value) => (typeof value === "bigint" ? `${value}` : value));

const unchanged = toJson(parse(documentText));

/** Returns the text of the document after changes. Throws an Error if a change has no effect. */
export function editDocument(...changes: Change[]): string {
  const document = JSON.parse(unchanged); // JSON has no aliases: a part that the text repeats by an alias changes alone
  changes.reduce((before, change) => {
    change(document);
    const after = toJson(document);
    if (after === before) throw new Error(`this change of the document has no effect: ${change}`);
    return after;
  }, unchanged);
  return stringify(document, { aliasDuplicateObjects: false });
}

/** Finds an operation of a document by its operationId. Throws an Error if there is none. */
export function findOperation({ paths }: Node, id: string): Node {
  const operations = Object.values<Node>(paths).flatMap((path) => Object.values<Node>(path));
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`the document has no operation ${id}`);
  return found;
}

/** Finds a parameter of an operation by its name. Throws an Error if there is none. */
export function findParameter(document: Node, id: string, name: string): Node {
  const found = findOperation(document, id).parameters.find((parameter: Node) => parameter.name === name);
  if (found === undefined) throw new Error(`the operation ${id} has no parameter ${name}`);
  return found;
}

/** Sets fields of an operation. The value undefined removes a field. */
export function setOperation(id: string, fields: object): Change {
  return (document) => Object.assign(findOperation(document, id), fields);
}

/** Sets fields of a parameter of an operation. The value undefined removes a field. */
export function setParameter(id: string, name: string, fields: object): Change {
  return (document) => Object.assign(findParameter(document, id, name), fields);
}

/** Sets fields of the schema of a parameter. The value undefined removes a field. */
export function setParameterSchema(id: string, name: string, fields: object): Change {
  return (document) => Object.assign(findParameter(document, id, name).schema, fields);
}

/** Sets fields of the schema NewPet or Pet, or of another one. The value undefined removes a field. */
export function setSchema(name: string, fields: object): Change {
  return ({ components }) => Object.assign(components.schemas[name], fields);
}

/** Sets properties of a schema. The value undefined removes a property. */
export function setProperties(schema: string, properties: object): Change {
  return ({ components }) => Object.assign(components.schemas[schema].properties, properties);
}

/** Adds a parameter to an operation, before its other parameters. */
export function addParameter(id: string, parameter: object): Change {
  return (document) => {
    const operation = findOperation(document, id);
    operation.parameters = [parameter, ...(operation.parameters ?? [])];
  };
}

/** Removes a parameter of an operation. */
export function removeParameter(id: string, name: string): Change {
  return (document) => {
    const { parameters } = findOperation(document, id);
    parameters.splice(parameters.indexOf(findParameter(document, id, name)), 1);
  };
}

/** Renames a field of a part of the document. */
export function rename(part: Node, from: string, to: string): void {
  part[to] = part[from];
  delete part[from];
}
