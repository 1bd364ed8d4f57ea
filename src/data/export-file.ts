// Writes the file of an export.
import { open } from "node:fs/promises";
import { writeAtomically } from "../lib/index.ts";
import type { ExportSummary } from "./export.ts";

/** Runs an export whose text is written to a file. The file is replaced when the export is complete. */
export function writeExport(
  file: string,
  run: (write: (text: string) => Promise<unknown>) => Promise<ExportSummary>,
): Promise<ExportSummary> {
  return writeAtomically(file, async (partial) => {
    const handle = await open(partial, "wx", 0o600); // as the store's own file
    return run((text) => handle.appendFile(text)).finally(() => handle.close());
  });
}
