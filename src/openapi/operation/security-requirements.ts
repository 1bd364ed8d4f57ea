// The security requirements of an operation (OpenAPI 3.1.1, sections 4.8.27 and 4.8.30).

import type { OpenApi, OperationObject, SecuritySchemeObject } from "../source/document-types.ts";
import type { ReportReason } from "../source/findings.ts";
import type { Part } from "../source/part.ts";
import { isSupported } from "./credentials.ts";

/** A security scheme that an operation requires. */
export interface RequiredScheme {
  readonly name: string;
  readonly scheme: SecuritySchemeObject;
  readonly scopes: readonly string[];
}

/** A security requirement: all of its schemes must be met. Without schemes, no credential is required. */
export type SecurityRequirement = readonly RequiredScheme[];

/** Reads the security requirements of an operation, which default to those of the document. */
export function readSecurity(
  document: Part<OpenApi>,
  operation: OperationObject,
  report: ReportReason,
): SecurityRequirement[] {
  const schemes = document.at("components")?.at("securitySchemes");
  return (operation.security ?? document.value.security ?? []).map((requirement) =>
    Object.entries(requirement).map(([name, scopes]): RequiredScheme => {
      const scheme = schemes?.at(name)?.value ?? { type: "unknown" };
      const start = `requires the security scheme ${name}`;
      if (scheme.type === "unknown") report("security-scheme", `${start}, which is not declared`);
      else if (!isSupported(scheme))
        report("security-check", `${start} (${scheme.type}), which needs a check with its own authenticate`);
      return { name, scheme, scopes };
    }),
  );
}

interface SecuredDocument {
  readonly operations: readonly { readonly security: readonly SecurityRequirement[] }[];
  readonly content: Pick<OpenApi, "components">;
}

/** Returns the scopes of a document: those that an operation requires, or that a flow of a security scheme offers. */
export function listScopes({ operations, content }: SecuredDocument): readonly string[] {
  const required = operations.flatMap(({ security }) => security.flat().flatMap((one) => one.scopes));
  const flows = Object.values(content.components?.securitySchemes ?? {}).flatMap(({ flows = {} }) =>
    Object.values(flows as Record<string, { readonly scopes?: object }>),
  );
  return [...new Set([...required, ...flows.flatMap((flow) => Object.keys(Object(flow).scopes ?? {}))])];
}
