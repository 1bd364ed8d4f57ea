// `openapi-server check`: lists what the server refuses or does not enforce.
import { readDocument } from "../document/index.ts";
import { findDocsOperation } from "../server/index.ts";
import { describeFindings, type Finding, type Level } from "../source/index.ts";
import type { CommandIo } from "./io.ts";

export interface CheckOptions {
  readonly strict: boolean;
  readonly ignore: readonly string[];
}

/** Lists the findings of a document. Returns whether it has no error. */
export async function check(path: string, { strict, ignore }: CheckOptions, io: CommandIo): Promise<boolean> {
  const document = await readDocument(path, { strict: false, checksExamples: true });
  const { operations } = document;
  const findings = document.findings.list({ strict, ignore });
  const docs = findDocsOperation(document);
  for (const [index, text] of describeFindings(findings).entries())
    io.stdout.write(`- ${titles[(findings[index] as Finding).level]}: ${text}\n`);
  if (docs)
    io.stdout.write(
      `- Note: The server has no documentation at /docs, because ${docs.id} has the path ${docs.path}.\n`,
    );
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const start = `${countOf(operations.length, "operation")}, ${countOf(errors, "error")}, ${countOf(warnings, "warning")}.`;
  const end =
    errors > 0
      ? "The server refuses the document"
      : warnings > 0
        ? "The server enforces all else"
        : "The server enforces all of it";
  io.stdout.write(`${start} ${end}.\n`);
  return errors === 0;
}

const titles: Readonly<Record<Level, string>> = { error: "Error", warning: "Warning", note: "Note" };

function countOf(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
