// The document and the store of `serve`, and of the commands for its data.
import { basename, dirname, extname, join } from "node:path";
import { redactUrl } from "../lib/index.ts";
import { readDocument } from "../openapi/tools.ts";
import { type ConfigOptions, readConfig } from "./config.ts";
import type { Target } from "./data/target.ts";
import { readWithOverlays } from "./overlay.ts";

export interface TargetOptions extends ConfigOptions {
  /** A path of a SQLite file, or a URL. By default, a file beside the document. */
  readonly data?: string | undefined;
  /** Files with overlays, which change the document. */
  readonly overlay?: readonly string[] | undefined;
}

/** Returns the URL of the store of a document. A path is that of a SQLite file. Throws an Error for a URL of another database. */
export function storeUrlOf(document: string, { data }: TargetOptions): string {
  if (data === undefined) return `sqlite:${join(dirname(document), `${basename(document, extname(document))}.db`)}`;
  if (/^(sqlite|postgres|postgresql):/.test(data)) return data;
  if (/^[a-z][a-z+.-]+:\/\//i.test(data))
    throw new Error(
      `--data must be the path of a SQLite file, sqlite:PATH, or postgres://…, and not ${redactUrl(data)}.`,
    );
  return `sqlite:${data}`;
}

/** Reads the document of a path with its overlays, and the URL of its store. */
export async function openTarget(path: string, options: TargetOptions): Promise<Target> {
  const { allowedFolders } = await readConfig(options);
  const source = await readWithOverlays(path, options.overlay, allowedFolders);
  const document = await readDocument(source, { strict: false, allowedFolders });
  return { program: "openapi-server", document, url: storeUrlOf(path, options) };
}
