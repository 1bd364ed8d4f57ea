// Parses responses, and checks them against the document with an Ajv that is independent of src.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { parseJson } from "../../src/lib/json.ts";

/** A response of the service, read to its end. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  /** The body with exact integers; undefined if it is not JSON. */
  body: unknown;
}

/** Creates an HttpResponse and parses its body. */
export function toHttpResponse(status: number, headers: HttpResponse["headers"], text: string): HttpResponse {
  const isJson = /^application\/json\b/.test(headers["content-type"] ?? "") && text !== "";
  return { status, headers, text, body: isJson ? parseJson(text) : undefined };
}

/** Parses pipelined responses, each of which has a Content-Length. */
export function parseResponses(text: string): HttpResponse[] {
  const responses: HttpResponse[] = [];
  for (let rest = text; rest !== ""; ) {
    const [head = ""] = rest.split("\r\n\r\n", 1);
    const [first = "", ...lines] = head.split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const bytes = Buffer.from(rest.slice(head.length + 4));
    responses.push(toHttpResponse(Number(first.split(" ")[1]), headers, bytes.subarray(0, length).toString()));
    rest = bytes.subarray(length).toString();
  }
  return responses;
}

interface ResponseObject {
  headers?: Record<string, { required?: boolean; schema: { type?: string } }>;
  content?: Record<string, { schema: object }>;
}
interface OperationObject {
  operationId: string;
  deprecated?: boolean;
  responses: Record<string, ResponseObject>;
}
interface OpenApi {
  paths: Record<string, Record<string, OperationObject>>;
  components: { headers: Record<string, unknown>; responses: Record<string, ResponseObject> };
}

// helmet sets these on every response.
const securityHeaders = ["content-security-policy", "x-content-type-options", "x-frame-options"];

/** Throws an Error if a response violates the document. */
export type ResponseCheck = (method: string, path: string, response: HttpResponse) => void;

const checks = new Map<string, Promise<ResponseCheck>>();

/**
 * Creates a function that checks responses against a document. Caches it by the text of the document, because
 * compiling the schemas is expensive.
 */
export function createResponseCheck(text: string): Promise<ResponseCheck> {
  const check = checks.get(text) ?? compileCheck(text);
  checks.set(text, check);
  return check;
}

async function compileCheck(text: string): Promise<ResponseCheck> {
  const document = new Validator().resolveRefs({ specification: parse(text) }) as unknown as OpenApi;
  const findError = createSchemaCheck();
  return (method, path, response) => {
    const { status, headers, text } = response;
    const fail = (reason: string): never => {
      throw new Error(`${method} ${path}: the response ${status} ${text.slice(0, 200)} ${reason}`);
    };
    const disclosed = findDisclosure(response);
    if (status >= 400 && disclosed) fail(`discloses ${disclosed}`);
    const operation = findOperation(document, method, path, response);
    if (operation === undefined && status < 400) return;
    const declared = operation
      ? (operation.responses[status] ?? operation.responses.default)
      : findSharedResponse(document, isInsufficient(response) ? 401 : status); // both have a challenge (RFC 6750, section 3)
    if (declared === undefined) return fail("has an undeclared status");

    if (!headers["x-request-id"]) fail("has no X-Request-Id");
    for (const header of securityHeaders) if (!headers[header]) fail(`has no ${header}`);
    const undeclared = Object.keys(document.components.headers).find(
      (header) => headers[header.toLowerCase()] !== undefined && declared.headers?.[header] === undefined,
    );
    const isChecked = !(operation?.deprecated !== false && /^(Deprecation|Sunset)$/.test(`${undeclared}`)); // by the lint rules
    if (undeclared && isChecked) fail(`has the undeclared header ${undeclared}`);
    if (operation?.deprecated && !headers.deprecation)
      fail("has no Deprecation header, but the operation is deprecated");
    const fault =
      findHeaderFault(declared, response, findError) ?? findBodyFault(method, declared, response, findError);
    if (fault) fail(fault);
  };
}

// Whether another key would be accepted. No key is for a page of another site.
function isInsufficient({ status, body }: HttpResponse): boolean {
  return status === 403 && (body as { code?: unknown } | undefined)?.code !== "cross_site_request";
}

/** Returns the error of a value that does not match a schema. */
type SchemaCheck = (schema: object, value: unknown) => string | undefined;

function createSchemaCheck(): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, addUsedSchema: false });
  addFormats.default(ajv);
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(close(schema));
    compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

// The schemas of responses permit new fields of later versions. The service must not send them yet.
function close(schema: { items?: object }): object {
  return { ...schema, unevaluatedProperties: false, ...(schema.items && { items: close(schema.items) }) };
}

// Error responses must not disclose software, file names or stack traces.
function findDisclosure({ headers, text }: HttpResponse): string | undefined {
  return (
    Object.keys(headers).find((name) => /^(server|x-powered-by|via)$/.test(name)) ??
    /\n +at |node_modules|\.[tj]s:\d+|SQLITE_|postgres(ql)?:/.exec(text)?.[0]
  );
}

function findOperation(
  { paths }: OpenApi,
  method: string,
  target: string,
  { text }: HttpResponse,
): OperationObject | undefined {
  // A request that the HTTP parser rejects reaches no operation.
  if (/"code":"(malformed_request|request_timeout|headers_too_large)"/.test(text)) return undefined;
  if (!target.startsWith("/v1/")) return undefined;
  const path = target.split("?", 1)[0]?.replace(/^\/v1/, "") ?? "";
  const [, item] =
    Object.entries(paths).find(([template]) => new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)) ??
    [];
  return item?.[method === "HEAD" ? "get" : method.toLowerCase()];
}

/** Returns the response of any operation with this status, for requests that reach no operation and no deprecated one. */
function findSharedResponse({ paths, components }: OpenApi, status: number): ResponseObject | undefined {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const shared = operations.map(({ responses }) => responses[status]).find((response) => response !== undefined);
  const { Deprecation, Sunset, ...headers } = shared?.headers ?? {};
  return shared ? { ...shared, headers } : components.responses.Failure;
}

function findHeaderFault(declared: ResponseObject, { headers }: HttpResponse, findError: SchemaCheck) {
  for (const [header, { required, schema }] of Object.entries(declared.headers ?? {})) {
    const value = headers[header.toLowerCase()];
    if (value === undefined && required) return `has no header ${header}`;
    if (value === undefined) continue;
    const error = findError(schema, schema.type === "integer" ? Number(value) : value);
    if (error) return `has a bad header ${header}: ${error}`;
  }
  return undefined;
}

function findBodyFault(
  method: string,
  { content }: ResponseObject,
  { status, headers, text }: HttpResponse,
  findError: SchemaCheck,
): string | undefined {
  if (content === undefined) return text === "" ? undefined : "has a body, but the document declares none";
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  const schema = content[mediaType]?.schema;
  if (schema === undefined) return `has the undeclared media type ${mediaType}`;
  if (method === "HEAD") return text === "" ? undefined : "has a body, but the method is HEAD";
  const error = findError(schema, JSON.parse(text));
  if (error) return `has a bad body: ${error}`;
  return status >= 400 && JSON.parse(text).status !== status ? "has a different status in its body" : undefined;
}
