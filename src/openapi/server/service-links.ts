/** Returns the Link header of the document and its documentation (RFC 8631). `root` is the URL that precedes /docs. */
export function serviceLinks(root: string): string {
  return `<${root}/openapi.json>; rel="service-desc", <${root}/docs>; rel="service-doc"`;
}
