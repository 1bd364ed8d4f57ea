// The fields of a document whose values are data, or maps with names that the author chooses.

/** Keywords whose values are data, and not parts of the document. */
export const dataKeywords = /^(const|dataValue|default|enum|example|value)$/;

/** Fields of the document, outside of schemas, whose values are maps with any names. */
export const maps =
  /^(additionalOperations|callbacks|content|encoding|examples|headers|links|mediaTypes|parameters|pathItems|requestBodies|responses|schemas|scopes|securitySchemes|variables|webhooks)$/;
const mapsOfSchemas = /^(properties|patternProperties|dependentSchemas|\$defs)$/;

/** Returns whether a field of the document, or of a schema, is a map: the author chooses the names in it. */
export function isMapName(name: string): boolean {
  return maps.test(name) || mapsOfSchemas.test(name);
}
