// Programs that npm does not provide. A test that needs a program is skipped if it is not installed.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns false if the program is on PATH; otherwise the reason to skip a test, with the package to install. */
export function skipWithout(program: string, debianPackage: string): string | false {
  const paths = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, program));
  return paths.some(isExecutable) ? false : `${program} is not installed: apt-get install ${debianPackage}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
