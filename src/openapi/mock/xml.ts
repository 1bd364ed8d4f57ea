// Writes values as XML, with the names of the schema's `xml` (OpenAPI 3.1.1, section 4.8.26).
import type { SchemaNode } from "../schema/node.ts";

interface XmlObject {
  readonly name?: string;
  readonly namespace?: string;
  readonly prefix?: string;
  readonly attribute?: boolean;
  readonly wrapped?: boolean;
  /** In 3.2, instead of `attribute` and `wrapped`. */
  readonly nodeType?: string;
}

/** Returns a value as an XML document. The root has the name of its schema. */
export function writeXml(value: unknown, node: SchemaNode): string {
  const { $ref } = node.schema;
  const name = typeof $ref === "string" ? $ref.replace(/^.*\//, "") : "root";
  return `<?xml version="1.0" encoding="UTF-8"?>${writeElement(name, value, [node])}`;
}

function xmlOf(nodes: readonly SchemaNode[]): XmlObject {
  const found = nodes.flatMap((node) => node.parts()).map(({ schema }) => schema.xml as XmlObject | undefined);
  return Object.assign({}, ...found.reverse()) as XmlObject;
}

function writeElement(name: string, value: unknown, nodes: readonly SchemaNode[]): string {
  const xml = xmlOf(nodes);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => {
      const itemNodes = nodes.flatMap((node) => node.parts()).flatMap((node) => node.item(index) ?? []);
      return writeElement(xmlOf(itemNodes).name ?? (xml.wrapped ? name : (xml.name ?? name)), item, itemNodes);
    });
    return xml.wrapped || xml.nodeType === "element"
      ? wrap(nameOf(name, xml), namespaceOf(xml), items.join(""))
      : items.join("");
  }
  if (typeof value !== "object" || value === null)
    return wrap(nameOf(name, xml), namespaceOf(xml), value === null ? "" : escapeText(`${value}`));
  let attributes = namespaceOf(xml);
  let content = "";
  for (const [key, member] of Object.entries(value)) {
    const properties = nodes.flatMap((node) => node.parts()).flatMap((node) => node.property(key));
    const own = xmlOf(properties);
    if (own.attribute || own.nodeType === "attribute")
      attributes += ` ${nameOf(key, own)}="${escapeText(`${member}`)}"`;
    else if (own.nodeType === "text" || own.nodeType === "cdata") content += escapeText(`${member}`);
    else content += writeElement(key, member, properties);
  }
  return wrap(nameOf(name, xml), attributes, content);
}

function nameOf(name: string, xml: XmlObject): string {
  // A name of XML begins with a letter, and has no spaces (XML 1.0, section 2.3).
  const own = (xml.name ?? name).replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^(?![\p{L}_])/u, "_");
  return xml.prefix === undefined ? own : `${xml.prefix}:${own}`;
}

function namespaceOf({ namespace, prefix }: XmlObject): string {
  if (namespace === undefined) return "";
  return ` xmlns${prefix === undefined ? "" : `:${prefix}`}="${escapeText(namespace)}"`;
}

function wrap(name: string, attributes: string, content: string): string {
  return content === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// Characters that XML does not allow are replaced (XML 1.0, section 2.2).
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (character) => entities[character] as string);
}
