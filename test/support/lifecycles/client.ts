// A client of a document: sends requests of its operations, and compares the responses.
import { type Json, list as listOf, type Operation, type RawDocument } from "./document.ts";
import { createResponseCheck } from "./response-check.ts";
import { encodeForm, makeValue } from "./values.ts";

/** The values of the parameters of a path. */
export type Params = Readonly<Record<string, string>>;

export interface SentBody {
  readonly type: string;
  readonly value: unknown;
}

export interface Received {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A client of a server of a document. `url` is its origin. */
export class Client {
  url: string;
  /** The members of the record that required filters select. */
  known: Json = {};
  readonly #document: RawDocument;
  readonly #timeout: number;
  #count = 0; // so that the keys of requests differ
  readonly #check: ReturnType<typeof createResponseCheck>;

  /** `timeout` is the maximum time of a request in milliseconds. */
  constructor(document: RawDocument, url: string, timeout: number) {
    this.#document = document;
    this.#timeout = timeout;
    this.#check = createResponseCheck(document);
    this.url = url;
  }

  /** Follows the link of a list to its next page; undefined if there is none. */
  async next(list: Operation, page: Received): Promise<Received | undefined> {
    const [, next] = /<([^<>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "") ?? [];
    if (next === undefined) return undefined;
    const { pathname, search } = new URL(next, this.url);
    return this.#fetch(`${new URL(this.url).origin}${pathname}${search}`, { headers: this.#credentials(list).headers });
  }

  /** Sends a request. Rejects with an Error unless the response is a success that the document declares. */
  async send(operation: Operation, params: Params, body?: SentBody) {
    const response = await this.request(operation, params, body);
    const { method, path } = operation;
    const text = JSON.stringify(response.body)?.slice(0, 300);
    if (response.status < 200 || response.status > 299)
      throw new Error(`${method} ${path} responds with ${response.status} ${text}`);
    const problem = this.#check(operation, response.status, response.body);
    if (problem) throw new Error(`${method} ${path}: the response ${problem}, in ${text}`);
    return response;
  }

  /** Sends a request with values for its required parameters. */
  request(operation: Operation, params: Params, body?: SentBody): Promise<Received> {
    const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? "1"),
    );
    const required = operation.parameters.filter((one) => one.required === true && one.in !== "path");
    const sampleOf = ({ name, example, schema }: Json) =>
      `${this.#filterOf(`${name}`) ?? example ?? makeValue(this.#document, schema, this.#count++)}`;
    const { headers, query: keys } = this.#credentials(operation);
    const query = new URLSearchParams(keys);
    for (const one of required)
      if (one.in === "query") query.set(`${one.name}`, sampleOf(one));
      else if (one.in === "header") headers[`${one.name}`] = sampleOf(one);
    if (body) headers["Content-Type"] = body.type === "*/*" ? "application/json" : body.type;
    const isForm = body?.type.includes("form") ?? false;
    return this.#fetch(`${this.url}${operation.basePath}${path}${query.size > 0 ? `?${query}` : ""}`, {
      method: operation.method,
      headers,
      ...(body && { body: isForm ? encodeForm(body.value).join("&") : JSON.stringify(body.value) }),
    });
  }

  /** Whether a list has a required filter by a `declared` member that can't have the value of the last record. */
  excludes({ parameters }: Operation, declared: ReadonlySet<string>): boolean {
    return parameters.some(({ in: location, required, name, schema }) => {
      const { enum: values } = this.#document.resolve(schema);
      const known = this.#filterOf(`${name}`);
      const isFilter = location === "query" && required === true && declared.has(`${name}`);
      return isFilter && Array.isArray(values) && !values.includes(known);
    });
  }

  // A required filter selects the last record.
  #filterOf(name: string): unknown {
    const { id, gid } = Object(this.known[name.replace(/_id$/, "")]) as { id?: unknown; gid?: unknown };
    const value = typeof this.known[name] === "object" ? undefined : this.known[name];
    return value ?? id ?? gid;
  }

  async #fetch(url: string, options: RequestInit): Promise<Received> {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(this.#timeout) });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  }

  // Any credential of the first security requirement.
  #credentials({ raw }: Operation): { headers: Record<string, string>; query: Record<string, string> } {
    const [headers, query]: [Record<string, string>, Record<string, string>] = [{}, {}];
    const { security, components } = this.#document.root as { security?: unknown; components?: Json };
    const [needed] = listOf(raw.security ?? security);
    for (const name of Object.keys(Object(needed))) {
      const scheme = this.#document.resolve(Object(components?.securitySchemes)[name]);
      if (scheme.type === "apiKey" && scheme.in === "query") query[`${scheme.name}`] = "secret";
      else if (scheme.type === "apiKey")
        headers[scheme.in === "cookie" ? "Cookie" : `${scheme.name}`] =
          scheme.in === "cookie" ? `${scheme.name}=secret` : "secret";
      else
        headers.Authorization =
          `${scheme.scheme}`.toLowerCase() === "basic" ? `Basic ${btoa("a:secret")}` : "Bearer secret";
    }
    return { headers, query };
  }
}
