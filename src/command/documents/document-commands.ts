// Declares the commands for documents, which need no records: mock, proxy, check, diff, generate.
import { type Command, Option } from "commander";
import type { DiffOptions } from "../../diff/index.ts";
import type { SettingName } from "../../settings/index.ts";
import type { Io } from "../../terminal/index.ts";
import type { ConfigOptions } from "../inputs/config.ts";
import { addSettings, addTo, formatOption } from "../inputs/options.ts";
import { configOption, logOption, mcpOption, pagesOption } from "../inputs/target.ts";
import type { CheckOptions } from "./check.ts";
import type { GenerateFlags } from "./generate.ts";
import type { MockOptions } from "./mock.ts";
import type { ProxyOptions } from "./proxy.ts";

const ofListening: readonly SettingName[] = ["port", "host"];

/** `check` has found errors, or `diff` breaking changes, which they have printed. */
export class ErrorsFound extends Error {}

/** Adds the commands. `signal` ends a server, and `--watch`. */
export function addDocuments(program: Command, io: Io, signal: AbortSignal | undefined): void {
  const mock = program
    .command("mock")
    .description("serve the document: validate each request, and respond with examples")
    .argument("<document>", "path of the document")
    .option("--no-validate", "respond to each request of an operation, whatever it contains")
    .addOption(mcpOption())
    .option("--watch", "serve the new state when a file of the document changes")
    .addOption(pagesOption())
    .addOption(logOption())
    .addOption(configOption())
    .action(async (document: string, options: MockOptions) =>
      (await import("./mock.ts")).serveMock(document, options, io, signal),
    );
  addSettings(mock, [...ofListening, "origins", "allowedHosts", "allowedFolders"]);
  const proxy = program
    .command("proxy")
    .description("compare the requests and responses of an existing server with the document")
    .argument("<document>", "path of the document")
    .requiredOption("--upstream <url>", "URL of the server")
    .option("--report", "only report what violates the document, instead of rejecting it", false)
    .addOption(configOption())
    .action(async (document: string, options: ProxyOptions) =>
      (await import("./proxy.ts")).serveProxy(document, options, io, signal),
    );
  addSettings(proxy, [...ofListening, "allowedFolders"]);
  const check = program
    .command("check")
    .description("list the parts of documents that the server refuses or does not enforce")
    .argument("<documents...>", "paths of documents, or patterns such as 'api/*.yaml'")
    .option("--strict", "make warnings errors")
    .option("--no-strict", "keep warnings, although the module of --config makes them errors")
    .option("--ignore <rule>", "accept a rule, such as format:unix-time; can be repeated", addTo)
    .addOption(formatOption("format of the output"))
    .addOption(configOption())
    .action(async (documents: string[], options: CheckOptions) => {
      if (!(await (await import("./check.ts")).check(documents, options, io))) throw new ErrorsFound();
    });
  const diff = program
    .command("diff")
    .description("list the changes between two versions of a document, and whether they break callers")
    .argument("<old>", "path of the old version, or git:REF:PATH, such as git:main:api.yaml")
    .argument("<new>", "path of the new version, or git:REF:PATH")
    .addOption(
      new Option("--fail-on <changes>", "exit with 1 if there are such changes")
        .choices(["breaking", "any", "none"])
        .default("breaking"),
    )
    .addOption(formatOption("format of the output").choices(["text", "json", "markdown"]))
    .addOption(configOption())
    .action(async (old: string, revised: string, options: DiffOptions & ConfigOptions) => {
      const [{ diff }, { readService }] = [await import("../../diff/index.ts"), await import("../inputs/config.ts")];
      const { allowedFolders } = (await readService(options, io.env)).settings;
      if (!(await diff(old, revised, { ...options, allowedFolders }, io))) throw new ErrorsFound();
    });
  const generate = program
    .command("generate")
    .description("write the TypeScript types of handlers, or of a client")
    .argument("<document>", "path of the document")
    .option("-o, --output <file>", "file to write (default: standard output)")
    .option("--client", "write the types of a client (openapi-fetch) instead", false)
    .addOption(
      new Option(
        "--handlers <file>",
        "also write a module (.ts or .js) with a stub of each handler, or name those that it lacks",
      ).conflicts(["client", "check", "watch"]),
    )
    .option("--unanswered", "with --handlers: only for operations that a store does not answer", false)
    .option("--check", "fail if the file is not current, instead of writing it", false)
    .option("--watch", "write the file again after each change of the document", false)
    .option("--no-strict", "write the types of a document in spite of its errors")
    .addOption(configOption())
    .action(async (document: string, flags: GenerateFlags) =>
      (await import("./generate.ts")).generate(document, flags, io, signal),
    );
  for (const command of [check, diff, generate]) addSettings(command, ["allowedFolders"]);
}
