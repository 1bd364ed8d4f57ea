// Responses, and their check against the document. Its Ajv is independent of src.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { parseJson } from "../../src/json.ts";

/** A response of the service. */
export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  /** The body with exact integers; undefined if it is not JSON. */
  body: unknown;
}

/** Builds an Answer and parses its body. */
export function toAnswer(status: number, headers: Answer["headers"], text: string): Answer {
  const isJson = /^application\/json\b/.test(headers["content-type"] ?? "") && text !== "";
  return { status, headers, text, body: isJson ? parseJson(text) : undefined };
}

/** Splits pipelined responses, each of which has a Content-Length. */
export function split(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ""; ) {
    const [head = ""] = rest.split("\r\n\r\n", 1);
    const [first = "", ...lines] = head.split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const bytes = Buffer.from(rest.slice(head.length + 4));
    answers.push(toAnswer(Number(first.split(" ")[1]), headers, bytes.subarray(0, length).toString()));
    rest = bytes.subarray(length).toString();
  }
  return answers;
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

// Set by helmet on every response.
const secured = ["content-security-policy", "x-content-type-options", "x-frame-options"];

/** Throws an Error if a response violates the document. */
type Check = (method: string, path: string, answer: Answer) => void;

const checks = new Map<string, Promise<Check>>();

/** Returns the check of responses against a document. Cached by the text of the document, since it is expensive. */
export function buildCheck(text: string): Promise<Check> {
  const check = checks.get(text) ?? compileCheck(text);
  checks.set(text, check);
  return check;
}

async function compileCheck(text: string): Promise<Check> {
  const document = new Validator().resolveRefs({ specification: parse(text) }) as unknown as OpenApi;
  const ajv = new Ajv2020({ strict: false, allErrors: true, addUsedSchema: false });
  addFormats.default(ajv);
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>();
  const holds = (schema: object, value: unknown): string | undefined => {
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
  const all = Object.values(document.paths).flatMap((item) => Object.values(item));
  const anywhere = (status: number) =>
    all.map(({ responses }) => responses[status]).find((response) => response !== undefined) ??
    (document.components.responses.Failure as ResponseObject);

  return (method, target, { status, headers, text }) => {
    const fail = (reason: string): never => {
      throw new Error(`${method} ${target}: the answer ${status} ${text.slice(0, 200)} ${reason}`);
    };
    // Failures disclose no software, no file and no stack trace.
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
    const response = operation ? (operation.responses[status] ?? operation.responses.default) : anywhere(status);
    if (response === undefined) return fail("has an undeclared status");

    if (!headers["x-request-id"]) fail("has no X-Request-Id");
    for (const header of secured) if (!headers[header]) fail(`has no ${header}`);
    for (const [header, { required, schema }] of Object.entries(response.headers ?? {})) {
      const value = headers[header.toLowerCase()];
      if (value === undefined && required) fail(`lacks the header ${header}`);
      if (value === undefined) continue;
      const wrong = holds(schema, schema.type === "integer" ? Number(value) : value);
      if (wrong) fail(`has a bad header ${header}: ${wrong}`);
    }
    const undeclared = Object.keys(document.components.headers).find(
      (header) => headers[header.toLowerCase()] !== undefined && response.headers?.[header] === undefined,
    );
    if (undeclared) fail(`has the undeclared header ${undeclared}`);
    if (operation?.deprecated && !headers.deprecation) fail("is of a deprecated operation and does not say so");

    if (response.content === undefined) return text === "" ? undefined : fail("has a body, and none is declared");
    const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
    const schema = response.content?.[mediaType]?.schema;
    if (schema === undefined) return fail(`has the undeclared media type ${mediaType}`);
    if (isHead) return text === "" ? undefined : fail("has a body, to HEAD");
    const wrong = holds(schema, JSON.parse(text));
    if (wrong) fail(`has a bad body: ${wrong}`);
    if (status >= 400 && JSON.parse(text).status !== status) fail("has another status in its body");
  };
}
