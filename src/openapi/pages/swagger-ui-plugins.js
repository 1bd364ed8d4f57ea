// Code that runs in the browser, at /docs. Each function is sent as its source text, so it must use nothing outside
// itself.

/**
 * A plugin of Swagger UI that shows stability, sunset and successor of an operation beside its path, and whether records answer it.
 * @typedef {{ getIn(path: (string | undefined)[]): string | undefined }} Tree
 * @param {{ React: { createElement: Function, Fragment: unknown } }} system
 */
export function badges({ React: { createElement, Fragment } }) {
  /** @type {(date: string) => string} */
  const formatDate = (date) => new Date(date).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  /** @type {(text: string, kind: string) => unknown} */
  const badge = (text, kind) => createElement("span", { key: kind, className: `badge badge-${kind}` }, text);
  /**
   * @type {(Path: unknown, system: { specSelectors: { specJson(): Tree } }) => (props: { operationProps: Tree }) =>
   * unknown}
   */
  const withBadges =
    (Path, { specSelectors }) =>
    (props) => {
      const [path, method] = ["path", "method"].map((name) => props.operationProps.getIn([name]));
      /** @type {(name: string) => string | undefined} */
      const field = (name) => specSelectors.specJson().getIn(["paths", path, method, name]);
      const [stability, sunset, successor] = ["x-stability", "x-sunset", "x-successor"].map(field);
      /** @type {Record<string, string>} */
      const answers = { records: "from records", handler: "by a handler", nothing: "not answered (501)" };
      const answer = field("x-answered-from");
      return createElement(
        Fragment,
        null,
        createElement(Path, props),
        stability && badge(stability, "stability"),
        sunset && badge(`removed on ${formatDate(sunset)}`, "sunset"),
        successor && badge(`use ${successor} instead`, "successor"),
        answer && badge(answers[answer] ?? answer, answer),
      );
    };
  return { wrapComponents: { OperationSummaryPath: withBadges } };
}

/**
 * A plugin of Swagger UI that keeps the page short: it folds what follows the first paragraph of the description, the headers
 * of responses, and the failures, of which it shows the status and the error codes.
 * @param {{ React: { createElement: Function, Fragment: unknown } }} system
 */
export function foldedParts({ React: { createElement: h, Fragment } }) {
  /** @typedef {{ get(key: string): any, getIn(keys: string[]): any, set(key: string, value: unknown): Tree }} Tree */
  /** @typedef {{ getComponent(name: string, isContainer?: boolean): unknown }} System */
  /** @type {(className: string, summary: unknown, ...content: unknown[]) => unknown} */
  const fold = (className, summary, ...content) =>
    h("details", { className: `folded ${className}` }, h("summary", null, summary), ...content);

  /**
   * @type {(Markdown: unknown, system: { specSelectors: { specJson(): Tree } }) => (props: { source?: string }) => unknown}
   */
  const withFoldedDescription =
    (Markdown, { specSelectors }) =>
    (props) => {
      const { source = "" } = props;
      const [first, ...rest] = source.split(/\n\s*\n/);
      if (rest.length === 0 || source !== specSelectors.specJson().getIn(["info", "description"]))
        return h(Markdown, props);
      const hidden = h(Markdown, { ...props, source: rest.join("\n\n") });
      return h(Fragment, null, h(Markdown, { ...props, source: first }), fold("folded-description", "More", hidden));
    };

  /** @type {(Headers: unknown) => (props: { headers?: { keySeq(): { join(separator: string): string }, size: number } }) => unknown} */
  const withFoldedHeaders = (Headers) => (props) =>
    props.headers?.size
      ? fold("folded-headers", `Headers: ${props.headers.keySeq().join(", ")}`, h(Headers, props))
      : h(Headers, props);

  /** @type {(Response: unknown) => (props: { code: string, response: Tree, getComponent: System["getComponent"] }) => unknown} */
  const withFoldedFailure = (Response) => (props) => {
    const { code, response } = props;
    if (!/^([45]|default)/.test(code)) return h(Response, props);
    const contents = response.get("content")?.valueSeq().toArray() ?? [];
    const examples = contents.flatMap(
      (/** @type {Tree} */ content) => content.get("examples")?.valueSeq().toArray() ?? [],
    );
    const codes = examples.map((/** @type {Tree} */ example) => example.getIn(["value", "code"])).filter(Boolean);
    const summary = h(
      Fragment,
      null,
      h(props.getComponent("Markdown", true), { source: response.get("description") }),
      ...[...new Set(codes)].map((text) => h("code", { key: text }, text)),
    );
    const table = h("table", { className: "responses-table" }, h("tbody", null, h(Response, props)));
    return h(
      "tr",
      { className: "response folded-response" },
      h("td", { className: "response-col_status" }, code),
      h("td", { className: "response-col_description", colSpan: 2 }, fold("folded-failure", summary, table)),
    );
  };
  return {
    wrapComponents: { Markdown: withFoldedDescription, headers: withFoldedHeaders, response: withFoldedFailure },
  };
}

/**
 * A plugin of Swagger UI that shows how to call the first operation that needs no parameters, in curl, JavaScript and Python.
 * @param {{ React: { createElement: Function, Fragment: unknown, useState: Function } }} system
 */
export function quickStart({ React: { createElement: h, Fragment, useState } }) {
  /** @typedef {any} Tree the document, as an immutable Map: that of a large document takes a second to convert */
  // RFC 6901, section 6
  /** @type {(reference: string) => string[]} */
  const toKeys = (reference) =>
    decodeURIComponent(reference.slice(2))
      .split("/")
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

  /** @type {(document: Tree, part: Tree) => Tree} */
  const follow = (document, part) =>
    part?.has("$ref") ? follow(document, document.getIn(toKeys(part.get("$ref")))) : part;

  /** @type {(document: Tree) => [path: string, operation: Tree] | undefined} */
  const findOperation = (document) => {
    for (const [path, entry] of document.get("paths") ?? []) {
      if (!path.startsWith("/")) continue; // an extension
      const item = follow(document, entry);
      const operation = item?.get("get");
      if (operation === undefined || operation.get("deprecated")) continue;
      const parameters = [...(item.get("parameters") ?? []), ...(operation.get("parameters") ?? [])];
      const needsParameter = parameters.some((parameter) => follow(document, parameter)?.get("required"));
      if (!needsParameter && findHeader(document, operation) !== null) return [path, operation];
    }
    return undefined;
  };

  // The header of the credential, and the prefix of its value; undefined if there is none, and null if the credential is not in
  // a header, or more than one is required.
  /** @type {(document: Tree, operation: Tree) => [name: string, prefix: string] | undefined | null} */
  const findHeader = (document, operation) => {
    const requirement = (operation.get("security") ?? document.get("security"))?.first();
    if (requirement === undefined || requirement.size === 0) return undefined;
    const name = requirement.keySeq().first();
    const scheme = follow(document, document.getIn(["components", "securitySchemes", name]));
    const type = scheme?.get("type");
    if (requirement.size > 1 || scheme === undefined || type === "mutualTLS") return null;
    const isPlain = scheme.get("in") === "header" && /^[\w-]+$/.test(scheme.get("name"));
    if (type === "apiKey") return isPlain ? [scheme.get("name"), ""] : null;
    return ["Authorization", /^basic$/i.test(scheme.get("scheme")) ? "Basic " : "Bearer "];
  };

  /** @type {(url: string, header: [string, string] | undefined) => Record<string, string>} */
  const createSnippets = (url, header) => {
    const [name, prefix] = header ?? [];
    return {
      curl: `curl '${url}'${header ? ` \\\n  -H "${name}: ${prefix}$KEY"` : ""}`,
      JavaScript: [
        `const response = await fetch("${url}"${header ? `, {\n  headers: { "${name}": \`${prefix}\${process.env.KEY}\` },\n}` : ""});`,
        "console.log(response.status, await response.text());",
      ].join("\n"),
      Python: [
        "import json, os, urllib.request",
        "",
        `request = urllib.request.Request("${url}"${header ? `, headers={"${name}": f"${prefix}{os.environ['KEY']}"}` : ""})`,
        "print(json.load(urllib.request.urlopen(request)))",
      ].join("\n"),
    };
  };

  /** @type {(props: { document: Tree, server: string }) => unknown} */
  const QuickStart = ({ document, server }) => {
    const [language, setLanguage] = useState("curl");
    const found = findOperation(document);
    if (found === undefined) return null;
    const [path, operation] = found;
    const { location } = /** @type {any} */ (globalThis);
    const base = new URL(server, location.href).href.replace(/\/$/, "");
    const url = new URL(base + path).href.replaceAll("'", "%27"); // so that it can be quoted in each language
    const header = findHeader(document, operation) ?? undefined;
    const snippets = createSnippets(url, header);
    const tab = (/** @type {string} */ name) =>
      h(
        "button",
        {
          key: name,
          type: "button",
          role: "tab",
          "aria-selected": name === language,
          onClick: () => setLanguage(name),
        },
        name,
      );
    return h(
      "section",
      { className: "quick-start" },
      h("h2", null, "Quick start"),
      header && h("p", null, "Put your credential into the environment variable ", h("code", null, "KEY"), "."),
      h("div", { role: "tablist" }, Object.keys(snippets).map(tab)),
      h("pre", { role: "tabpanel", tabIndex: 0 }, h("code", null, snippets[language])),
    );
  };

  /** @type {(Info: unknown, system: any) => (props: object) => unknown} */
  const withQuickStart =
    (Info, { specSelectors, oas3Selectors }) =>
    (props) => {
      const document = specSelectors.specJson();
      const server = oas3Selectors.selectedServer() || document.getIn(["servers", 0, "url"]) || "/";
      return h(Fragment, null, h(Info, props), h(QuickStart, { document, server }));
    };
  return { wrapComponents: { InfoContainer: withQuickStart } };
}

/** Fits the page to phones, and follows the color scheme of the system. Swagger UI has the styles for both. */
export function adaptToDevice() {
  const { document, matchMedia } = /** @type {any} */ (globalThis); // the types of browsers belong to another project
  for (const [name, content] of [
    ["viewport", "width=device-width, initial-scale=1"],
    ["color-scheme", "light dark"],
  ])
    document.head.append(Object.assign(document.createElement("meta"), { name, content }));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

/**
 * Keeps int64 exact. Swagger UI parses responses to format them, which would round large integers. This makes
 * JSON.parse keep the digits of such an integer, and JSON.stringify write them unchanged.
 */
export function preserveLargeIntegers() {
  const parse = JSON.parse;
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exact = (_, value, { source } = {}) =>
    // @ts-expect-error TypeScript 5 has no type for rawJSON
    Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value;
  JSON.parse = (text, reviver) => parse(text, reviver ?? exact);
}
