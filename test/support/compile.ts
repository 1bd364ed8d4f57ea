// Compiles files with TypeScript, as a user of the library does.
import { join } from "node:path";
import ts from "typescript";
import { root } from "./files.ts";

/** Compiles files in one program. Returns the errors in files of a folder, with the name and the line of each. */
export function compile(files: readonly string[], place: string): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    lib: ["lib.esnext.d.ts"],
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  });
  const diagnostics = ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.startsWith(place) !== false);
  return diagnostics.map(({ file, start, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start as number).line;
    const name = file?.fileName.replace(`${place}/`, "");
    return `${name}:${Number(line) + 1} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
