// petstore deprecations: lists the deprecated operations and the keys that still call them.
import { readDocument } from "../../pets/index.ts";
import { type DeprecatedOperation, listDeprecatedOperations } from "../../status/index.ts";
import { formatTable, type Io, type Output, type OutputOptions, print, toIndentedJson } from "../../terminal/index.ts";
import { withStore } from "../stores.ts";

const formatNumber = (value: number) => value.toLocaleString("en");

/** Prints the deprecated operations and their callers. */
export async function listDeprecations(io: Io, { json }: OutputOptions): Promise<void> {
  await withStore(io, async ({ deprecated }) => {
    const { operations } = await readDocument();
    const listed = await listDeprecatedOperations(operations, deprecated);
    await print(io, json ? toIndentedJson(listed) : formatDeprecations(listed, io.stdout));
  });
}

/** Formats deprecated operations and their callers as tables for `stream`. */
export function formatDeprecations(deprecated: readonly DeprecatedOperation[], stream: Output): string {
  if (deprecated.length === 0) return "No operation is deprecated.";
  const operations = deprecated.map(({ operation, sunset, daysLeft, successor, calls }) => [
    operation,
    sunset ?? "not set",
    daysLeft === null ? "" : formatNumber(daysLeft),
    successor ?? "",
    formatNumber(calls),
  ]);
  const callers = deprecated.flatMap(({ operation, keys }) =>
    keys.map(({ name, calls, last }) => [operation, name || "(no key)", formatNumber(calls), last]),
  );
  const lists = [
    formatTable(["OPERATION", "SUNSET", "DAYS LEFT", "USE INSTEAD", "CALLS IN 30 DAYS"], operations, stream),
  ];
  if (callers.length > 0)
    lists.push(formatTable(["OPERATION", "KEY", "CALLS IN 30 DAYS", "LAST CALL"], callers, stream));
  return lists.join("\n\n");
}
