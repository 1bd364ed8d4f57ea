// The version in package.json, read once.
import { readFileSync } from "node:fs";

/** The version of the service. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);
