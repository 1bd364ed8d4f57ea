// The document and the store of `serve`, and of the commands for its data.
import { basename, dirname, extname, join } from "node:path";
import { readDocument } from "../openapi/tools.ts";
import type { Target } from "./data/index.ts";
import { readWithOverlays } from "./overlay.ts";

export interface TargetOptions {
  /** A path of a SQLite file, or a URL. By default, a file beside the document. */
  readonly data?: string | undefined;
  /** Files with overlays, which change the document. */
  readonly overlay?: readonly string[] | undefined;
}

/** Returns the URL of the store of a document. A path is that of a SQLite file. */
export function storeUrlOf(document: string, { data }: TargetOptions): string {
  if (data === undefined) return `sqlite:${join(dirname(document), `${basename(document, extname(document))}.db`)}`;
  return /^(sqlite|postgres|postgresql):/.test(data) ? data : `sqlite:${data}`;
}

/** Reads the document of a path with its overlays, and the URL of its store. */
export async function openTarget(path: string, options: TargetOptions): Promise<Target> {
  const document = await readDocument(await readWithOverlays(path, options.overlay), { strict: false });
  return { program: "openapi-server", document, url: storeUrlOf(path, options) };
}
