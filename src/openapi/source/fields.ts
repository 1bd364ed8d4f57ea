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

/** The names of all fields of OpenAPI 3.0 to 3.2, outside of schemas. */
export const fieldNames: readonly string[] = (
  "$ref $self additionalOperations allowEmptyValue allowReserved authorizationCode authorizationUrl bearerFormat body callbacks " +
  "clientCredentials components contact content contentType cookie dataValue default defaultMapping delete deprecated description " +
  "deviceAuthorization deviceAuthorizationUrl discriminator email encoding enum example examples explode externalDocs externalValue " +
  "flows get head headers identifier implicit in info itemEncoding itemSchema jsonSchemaDialect kind license links mapping mediaTypes " +
  "name oauth2MetadataUrl openIdConnectUrl openapi operationId operationRef options parameters parent password patch path pathItems paths post " +
  "prefixEncoding propertyName put query refreshUrl requestBodies requestBody required responses schema schemas scheme scopes security " +
  "securitySchemes serializedValue server servers style summary tags termsOfService title tokenUrl trace type url value variables " +
  "version webhooks"
).split(" ");
