// `openapi-server check`: lists what the server refuses or does not enforce.
import { globSync } from "node:fs";
import { type Document, type Part, readDocument } from "../../openapi/index.ts";
import {
  describeFindings,
  type Finding,
  type Level,
  locateFindings,
  refuseUnknown,
  type SourceLocation,
} from "../../openapi/tools.ts";
import { HintError, planOf } from "../../resources/index.ts";
import { findDocsOperation } from "../../server/index.ts";
import type { Io } from "../../terminal/index.ts";
import { type Config, type ConfigOptions, readService } from "../inputs/config.ts";

export interface CheckOptions extends ConfigOptions {
  readonly format: "text" | "json";
  /** These two replace those of the module `config`. */
  readonly strict: boolean | undefined;
  readonly ignore: readonly string[] | undefined;
}

/** What `check --format json` writes of a document: a list of these, in the order of the documents. */
export interface CheckResult {
  /** The path, as it was given. */
  readonly document: string;
  /** Why the document can't be loaded, or null. If it can't be, it has no operations and no findings. */
  readonly error: string | null;
  /** The number of operations that are served. */
  readonly operations: number;
  /** Errors first. */
  readonly findings: readonly {
    readonly level: Level;
    /** For the option `ignore`, such as `format:unix-time`. */
    readonly rule: string;
    /** About the first part, without a full stop. */
    readonly message: string;
    /** The number of parts that are wrong for this reason. Several of them can have one place, by references. */
    readonly count: number;
    /** All places. `pointer` is the JSON pointer in `file`, which is relative to the working directory if it is below it. */
    readonly places: readonly SourceLocation[];
  }[];
}

interface Checked {
  readonly path: string;
  /** Why it can't be loaded. */
  readonly error?: Error | undefined;
  readonly operations: number;
  readonly findings: readonly Finding[];
}

/** Lists the findings of documents. Returns whether all of them can be loaded, and have no error. */
export async function check(patterns: readonly string[], options: CheckOptions, io: Io): Promise<boolean> {
  const { config } = await readService(options, io.env);
  const results = await checkAll(patterns, { ...config, ...withoutUndefined(options) });
  if (options.format === "json") io.stdout.write(`${JSON.stringify(results.map(toResult), null, 2)}\n`);
  else writeText(results, io);
  return results.every((result) => !isRefused(result));
}

// The options of the command line that are given.
function withoutUndefined({ strict, ignore }: CheckOptions): Config {
  return { ...(strict !== undefined && { strict }), ...(ignore !== undefined && { ignore }) };
}

async function checkAll(patterns: readonly string[], config: Config): Promise<Checked[]> {
  const { strict, ignore = [] } = config;
  const loaded: { readonly path: string; readonly document?: Document; readonly error?: Error }[] = [];
  for (const path of patterns.flatMap(expand))
    loaded.push(
      await load(path, config).then(
        (document) => ({ path, document }),
        (error: Error) => ({ path, error }),
      ),
    );
  const documents = loaded.flatMap(({ document }) => document ?? []);
  // A rule can be one of a document that can't be loaded.
  if (documents.length === loaded.length)
    refuseUnknown(
      ignore,
      documents.map(({ findings }) => findings),
    );
  return loaded.map(({ path, document, error }) => {
    if (document === undefined) return { path, error, operations: 0, findings: [] };
    const own = ignore.filter((name) => document.findings.has(name));
    const findings = document.findings.list({ strict, ignore: own }, Number.POSITIVE_INFINITY);
    return { path, operations: document.operations.length, findings };
  });
}

async function load(path: string, config: Config): Promise<Document> {
  const { formats, ignoreUnknownQuery, readOnly, formatError, allowedFolders } = config;
  const document = await readDocument(path, {
    strict: false,
    isThorough: true,
    errors: { format: formatError },
    formats,
    ignoreUnknown: ignoreUnknownQuery,
    dropsReadOnly: readOnly === "drop",
    allowedFolders,
  });
  const docs = findDocsOperation(document);
  const reason = `has no documentation at /docs, because ${docs?.id} has the path ${docs?.path}`;
  if (docs) document.findings.report("docs", "The server", reason, docs.part.pointer);
  reportWrongHint(document);
  return document;
}

// As the start of a server with records refuses it.
function reportWrongHint(document: Document): void {
  try {
    planOf(document);
  } catch (error) {
    if (!(error instanceof HintError)) throw error;
    document.findings.report("x-resource", error.subject, error.reason, findHint(document, error));
  }
}

// The pointer of a wrong hint, by what it is about.
function findHint({ operations, root }: Document, { subject }: HintError): string {
  const [kind, ...words] = (subject.split(" of the ", 2)[1] ?? "").split(" ");
  const name = words.join(" ");
  const own = operations.filter(({ id }) => id === name).map(({ part }) => part);
  const named = operations.flatMap(({ parameterParts }) => parameterParts.filter(({ value }) => value.name === name));
  const holders: readonly (Part | undefined)[] =
    kind === "path" ? [root.at("paths")?.at(name)] : kind === "operation" ? own : named;
  const found = holders.find((one) => Object.hasOwn(Object(one?.value), "x-resource"));
  return found ? `${found.pointer}/x-resource` : "/paths";
}

// A shell that does not know a pattern, or finds no file for it, leaves it as it is.
function expand(pattern: string): string[] {
  if (!/[*?[{]/.test(pattern)) return [pattern];
  const found = globSync(pattern).sort();
  return found.length > 0 ? found : [pattern];
}

function isRefused(result: Checked): boolean {
  return result.error !== undefined || countLevel(result, "error") > 0;
}

function toResult({ path, error, operations, findings }: Checked): CheckResult {
  const located = locateFindings(findings).map(({ level, rule, message, count, locations }) => ({
    level,
    rule,
    message,
    count,
    places: locations,
  }));
  return { document: path, error: error?.message ?? null, operations, findings: located };
}

const titles: Readonly<Record<Level, string>> = { error: "Error", warning: "Warning", note: "Note" };

function writeText(results: readonly Checked[], io: Io): void {
  const isOnly = results.length === 1;
  for (const result of results) {
    const { path, error } = result;
    if (error) io.stderr.write(`openapi-server: ${isOnly ? "" : `${path}: `}${error.message}\n`);
    else io.stdout.write(isOnly ? describe(result) : `${path}\n${describe(result)}\n`);
  }
  if (isOnly) return;
  const refused = results.filter(isRefused).length;
  const end = refused === 0 ? "The server serves all of them" : `The server refuses ${refused} of them`;
  io.stdout.write(`${countOf(results.length, "document")}: ${count(results)}. ${end}.\n`);
}

function describe(result: Checked): string {
  const texts = describeFindings(result.findings);
  const lines = result.findings.map(({ level }, index) => `- ${titles[level]}: ${texts[index]}`);
  const end = isRefused(result)
    ? "The server refuses the document"
    : countLevel(result, "warning") > 0
      ? "The server enforces all else"
      : "The server enforces all of it";
  return [...lines, `${count([result])}. ${end}.`, ""].join("\n");
}

function count(results: readonly Checked[]): string {
  const sum = (unit: string, numberOf: (result: Checked) => number) =>
    countOf(
      results.reduce((total, one) => total + numberOf(one), 0),
      unit,
    );
  return [
    sum("operation", ({ operations }) => operations),
    sum("error", (one) => countLevel(one, "error")),
    sum("warning", (one) => countLevel(one, "warning")),
  ].join(", ");
}

function countLevel({ findings }: Checked, level: Level): number {
  return findings.filter((finding) => finding.level === level).length;
}

function countOf(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
