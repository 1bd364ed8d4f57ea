// petstore deprecations: what is going away, and who still calls it.
import type { Command } from "commander";
import { readDocument } from "../../pets/index.ts";
import { type DeprecatedOperation, listDeprecatedOperations } from "../../status/index.ts";
import { type Io, type Output, print } from "../io.ts";
import { formatTable, toIndentedJson } from "../table.ts";
import { addExamples } from "./help.ts";
import { withStore } from "./stores.ts";

/** Adds `petstore deprecations`. */
export function addDeprecations(program: Command, io: Io): void {
  const listing = program
    .command("deprecations")
    .description("list what is deprecated, when it goes, and which keys called it in the last 30 days")
    .option("--json", "as JSON")
    .action(({ json }: { json?: boolean }) =>
      withStore(io, async ({ deprecated }) => {
        const { operations } = await readDocument();
        const listed = await listDeprecatedOperations(operations, deprecated);
        await print(io, json ? toIndentedJson(listed) : describe(listed, io.stdout));
      }),
    );
  addExamples(
    listing,
    ["petstore deprecations", "before an operation is removed: who would miss it"],
    ["petstore deprecations --json", "for a script"],
  );
}

/** Formats deprecated operations and their callers as tables for `stream`. */
export function describe(deprecated: readonly DeprecatedOperation[], stream: Output): string {
  if (deprecated.length === 0) return "Nothing is deprecated.";
  const operations = deprecated.map(({ operation, sunset, daysLeft, successor, calls }) => [
    operation,
    sunset ?? "not said",
    `${daysLeft ?? ""}`,
    successor ?? "",
    `${calls}`,
  ]);
  const callers = deprecated.flatMap(({ operation, keys }) =>
    keys.map(({ name, calls, last }) => [operation, name || "(no key)", `${calls}`, last]),
  );
  const lists = [formatTable(["OPERATION", "SUNSET", "DAYS LEFT", "USE", "CALLS IN 30 DAYS"], operations, stream)];
  if (callers.length > 0) lists.push(formatTable(["OPERATION", "KEY", "CALLS IN 30 DAYS", "LAST"], callers, stream));
  return lists.join("\n\n");
}
