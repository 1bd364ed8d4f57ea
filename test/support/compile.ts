// Compiles files with TypeScript, as a user of the library does.
import { join } from "node:path";
import ts from "typescript";
import { root } from "./files.ts";

const options: ts.CompilerOptions = {
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
};
const host = ts.createCompilerHost(options);
const parsed = new Map<string, ts.SourceFile | undefined>(); // files of packages, which do not change

/** Compiles files in one program. Returns the errors in files of a folder, with the name and the line of each. */
export function compile(files: readonly string[], place: string): string[] {
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (name, ...rest) => {
    if (!name.includes("/node_modules/")) return host.getSourceFile(name, ...rest);
    if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram(files, options, { ...host, getSourceFile });
  // What these files import is not checked, which would take longer.
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(place));
  const diagnostics = own.flatMap((file) => ts.getPreEmitDiagnostics(program, file));
  return ts.sortAndDeduplicateDiagnostics(diagnostics).map(({ file, start, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start as number).line;
    const name = file?.fileName.replace(`${place}/`, "");
    return `${name}:${Number(line) + 1} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
