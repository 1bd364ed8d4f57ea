// The headers of responses that the document declares: which the server makes, so that nothing is changed before a response fails.
import type { Operation } from "../../../openapi/index.ts";
import type { Resource } from "../../record/resource.ts";
import { responseAt } from "../bodies-and-parameters.ts";
import { type PageMember, readPageHeader } from "../lists/page-facts.ts";
import { parametersOf } from "../paths.ts";

/** The headers of the responses of an operation. */
export interface ResponseHeaders {
  /** Whether `Location` is a path, or has the scheme and host of the request. Undefined if its schema allows neither. */
  readonly location: "relative" | "absolute" | undefined;
  /** Whether `Link` has paths, as in the example of the document. Other URLs have the scheme and host of the request. */
  readonly linksPaths: boolean;
  /** Whether each response of a change has the ETag that the GET returns afterwards. */
  readonly etag: boolean;
  /** Those that say something about the page of a list, such as X-Total-Count. */
  readonly page: readonly PageMember[];
}

// What hooks set, also those of an application.
const ofHooks = /^(link|x-request-id|vary|cache-control|deprecation|sunset|ratelimit(-.*)?|access-control-.*)$/;

/** Returns the headers of the responses with these statuses, or the name of one that is required and can't be made. */
export function planHeaders(
  operation: Operation,
  { record, hasRecordPath, exampleId, item, operations }: Resource,
  { statuses, creates }: { readonly statuses: readonly number[]; readonly creates: boolean },
): ResponseHeaders | string {
  const declared = responseAt(operation, "200")?.membersOf("headers") ?? [];
  const page = declared.flatMap(([name, header]) => readPageHeader(name, header.value.required) ?? []);
  const link = declared.find(([name]) => name.toLowerCase() === "link")?.[1].value as { readonly example?: unknown };
  const linksPaths = /^<\//.test(`${link?.example}`);
  const names = parametersOf(item.path);
  const filled = item.path.replaceAll(/\{[^{}]+\}/g, (name) =>
    !hasRecordPath || name !== `{${names.at(-1)}}` ? "1" : `${exampleId}`,
  );
  const sample = `${record.document.basePath}${filled}`;
  const urls = { relative: sample, absolute: new URL(sample, "http://localhost").href };
  const declares = (status: number) =>
    responseAt(operation, `${status}`)
      ?.membersOf("headers")
      .some(([name]) => name.toLowerCase() === "etag") ?? false;
  const etag = operation.method !== "GET" && operations.get?.responses.haveTags === true && statuses.every(declares);
  const others = Object.fromEntries([
    ...page.map(({ name }) => [name.toLowerCase(), 1]),
    ...(etag ? [["etag", '"x"']] : []),
  ]);
  const findProblem = (headers: object) =>
    statuses
      .flatMap((status) => operation.responses.findHeaderProblems(status, { ...others, ...headers }))
      .find((name) => !ofHooks.test(name));
  const location = (["relative", "absolute"] as const).find(
    (form) => findProblem({ location: urls[form] }) !== "location",
  );
  return findProblem(creates && location ? { location: urls[location] } : {}) ?? { location, linksPaths, etag, page };
}

/** Returns why an operation is not answered whose responses require a header. Completes "it …". */
export function describeMissing(name: string): string {
  return `requires the response header ${name}, which the server can't make`;
}
