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
type Check = (method: string, path: string, response: HttpResponse) => void;

const checks = new Map<string, Promise<Check>>();

/**
 * Creates a function that checks responses against a document. Caches it by the text of the document, because
 * compiling the schemas is expensive.
 */
export function createResponseCheck(text: string): Promise<Check> {
  const check = checks.get(text) ?? compileCheck(text);
  checks.set(text, check);
  return check;
}

async function compileCheck(text: string): Promise<Check> {
  const document = new Validator().resolveRefs({ specification: parse(text) }) as unknown as OpenApi;
  const ajv = new Ajv2020({ strict: false, allErrors: true, addUsedSchema: false });
  addFormats.default(ajv);
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>();
  const findError = (schema: object, value: unknown): string | undefined => {
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  // The response of any operation with this status, for requests that reach no operation.
  const findSharedResponse = (status: number) =>
    operations.map(({ responses }) => responses[status]).find((response) => response !== undefined) ??
    (document.components.responses.Failure as ResponseObject);

  return (method, target, { status, headers, text }) => {
    const fail = (reason: string): never => {
      throw new Error(`${method} ${target}: the response ${status} ${text.slice(0, 200)} ${reason}`);
    };
    // Error responses must not disclose software, file names or stack traces.
    const disclosed =
      Object.keys(headers).find((name) => /^(server|x-powered-by|via)$/.test(name)) ??
      /\n +at |node_modules|\.[tj]s:\d+|SQLITE_|postgres(ql)?:/.exec(text)?.[0];
    if (status >= 400 && disclosed) fail(`discloses ${disclosed}`);
    const path = target.split("?", 1)[0]?.replace(/^\/v1/, "") ?? "";
    const template = Object.keys(document.paths).find((candidate) =>
      new RegExp(`^${candidate.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
    );
    const isHead = method === "HEAD";
    const name = isHead ? "get" : method.toLowerCase();
    // A request that the HTTP parser rejects reaches no operation.
    const parsed = !/"code":"(malformed_request|request_timeout|headers_too_large)"/.test(text);
    const routed = parsed && /^\/v1\//.test(target) && template !== undefined;
    const operation = routed ? document.paths[template]?.[name] : undefined;
    if (operation === undefined && status < 400) return;
    const response = operation
      ? (operation.responses[status] ?? operation.responses.default)
      : findSharedResponse(status);
    if (response === undefined) return fail("has an undeclared status");

    if (!headers["x-request-id"]) fail("has no X-Request-Id");
    for (const header of securityHeaders) if (!headers[header]) fail(`has no ${header}`);
    for (const [header, { required, schema }] of Object.entries(response.headers ?? {})) {
      const value = headers[header.toLowerCase()];
      if (value === undefined && required) fail(`has no header ${header}`);
      if (value === undefined) continue;
      const error = findError(schema, schema.type === "integer" ? Number(value) : value);
      if (error) fail(`has a bad header ${header}: ${error}`);
    }
    const undeclared = Object.keys(document.components.headers).find(
      (header) => headers[header.toLowerCase()] !== undefined && response.headers?.[header] === undefined,
    );
    if (undeclared) fail(`has the undeclared header ${undeclared}`);
    if (operation?.deprecated && !headers.deprecation)
      fail("has no Deprecation header, but the operation is deprecated");

    if (response.content === undefined)
      return text === "" ? undefined : fail("has a body, but the document declares none");
    const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
    const schema = response.content?.[mediaType]?.schema;
    if (schema === undefined) return fail(`has the undeclared media type ${mediaType}`);
    if (isHead) return text === "" ? undefined : fail("has a body, but the method is HEAD");
    const error = findError(schema, JSON.parse(text));
    if (error) fail(`has a bad body: ${error}`);
    if (status >= 400 && JSON.parse(text).status !== status) fail("has a different status in its body");
  };
}
