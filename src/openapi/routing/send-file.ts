// Files of a folder as the responses of handlers: ranges, conditional requests and downloads.
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { HttpError } from "../../http/index.ts";
import type { UntypedCall } from "../operation/call.ts";
import type { HandlerResult } from "../operation/response/response.ts";
import type { Call, HandlerResponse, OperationId } from "../types/handler.ts";
import { selectMediaType } from "../wire/media-types.ts";

/** The options of `sendFile`. */
export interface FileOptions {
  /** The folder. Neither `..` nor a symbolic link leads out of it. Files whose name begins with a dot are not found. */
  readonly root: string;
  /** The media type. By default, that of the extension, if the document declares it, and otherwise one that it declares. */
  readonly type?: string | undefined;
  /** The name under which a browser saves the file (Content-Disposition). By default, a browser may show it. */
  readonly filename?: string | undefined;
}

/**
 * Returns the response with a file, as a stream, with `Content-Length`, `ETag` and `Last-Modified`. `path` is relative to the folder, with
 * slashes. If the document declares the status 206, a request for a range gets it (RFC 9110, section 14), and if it declares 304, a
 * client that has the file gets that. Throws an HttpError if there is no such file (404), it has no such bytes (416), or the client
 * expects another one (412).
 *
 * @example
 * const download: Handler<operations, "download"> = (call) => sendFile(call, call.params.name, { root: "uploads" });
 */
export function sendFile<Operations, Id extends OperationId<Operations>>(
  call: Call<Operations, Id>,
  path: string,
  options: FileOptions,
): Promise<HandlerResponse<Operations, Id>>;
export function sendFile(call: UntypedCall, path: string, options: FileOptions): Promise<HandlerResult>;
export async function sendFile(
  call: Pick<UntypedCall, "request">,
  path: string,
  { root, type, filename }: FileOptions,
): Promise<unknown> {
  const { request, operation } = call as UntypedCall;
  const { method, headers } = request;
  const { responses } = operation;
  const [{ default: send }, { create }] = await Promise.all([import("@fastify/send"), import("content-disposition")]);
  const typesOf = (status: number) => [...responses.contentsOf(status).keys()];
  const candidates = [send.mime.getType(path) ?? "application/octet-stream", ...typesOf(200)];
  const isDeclared = (one: string) => !one.includes("*") && selectMediaType(typesOf(200), one) !== undefined;
  const mediaType = type ?? candidates.find(isDeclared) ?? (candidates[0] as string);
  const isEvaluated = (name: string) => responses.declares(304) || !/^if-(none-match|modified-since)$/.test(name);
  const evaluated = Object.fromEntries(Object.entries(headers).filter(([name]) => isEvaluated(name)));
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  const result = await send({ method, headers: evaluated } as never, encoded, {
    root,
    index: false,
    cacheControl: false,
    contentType: false,
    acceptRanges: selectMediaType(typesOf(206), mediaType) !== undefined,
    onFile: async (file) => {
      const [real, folder] = await Promise.all([realpath(file), realpath(root)]);
      if (!real.startsWith(join(folder, "/"))) throw missing();
    },
  });
  const { statusCode: status, headers: sent, stream: body } = result;
  if (result.type === "file") {
    const disposition = filename === undefined ? {} : { "Content-Disposition": create(filename) };
    const content = status === 304 ? {} : { type: mediaType, body };
    return { status, headers: { ...sent, ...disposition }, ...content } satisfies HandlerResult;
  }
  if (status === 416)
    throw new HttpError({ code: "range_not_satisfiable", status }, "The file has no bytes in this range.", {
      "content-range": `${sent["Content-Range"]}`,
    });
  if (status === 412) throw new HttpError("precondition_failed", "The file is not the one that the request expects.");
  throw result.type === "error" && status === 500 ? result.metadata.error : missing();
}

function missing(): HttpError {
  return new HttpError("path_not_found", "This file does not exist.");
}
