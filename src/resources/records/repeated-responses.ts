// The responses of handlers to requests with an Idempotency-Key: a retry gets the first one again, and changes nothing.
import { hash } from "node:crypto";
import { HttpError } from "../../http/index.ts";
import { canonicalJson, parseJson, RawJson, toJson } from "../../lib/index.ts";
import type { Document, HandlerResult, UntypedCall } from "../../openapi/index.ts";
import { type Collection, idempotencyWindow, type RecordStore, type Records, type Store } from "../../store/index.ts";
import { readIdempotencyKey } from "./requests/idempotency-key.ts";

/** The collection of responses. */
export const responsesCollection: Collection = {
  name: "handler_responses",
  id: "key",
  idType: "string",
  properties: ["key"],
  filters: [],
  isOptional: true,
  maxBytes: 16_777_216, // a text of 4 MiB, with escapes
};

/** Returns whether the document declares an Idempotency-Key for an operation with a handler. */
export function repeatsResponses({ operations }: Document, handlers: object): boolean {
  return operations.some(
    ({ id, parameters }) => Object.hasOwn(handlers, id) && parameters.headers?.names.includes("Idempotency-Key"),
  );
}

/**
 * Runs a handler in a transaction, unless the same caller has sent the same request with the same Idempotency-Key within 24 hours: then returns
 * that response again. A failure is not kept. Rejects with an HttpError if the request was another one.
 */
export async function runOnce(
  call: Omit<UntypedCall, "caller"> & { readonly caller: unknown },
  records: Records,
  run: () => Promise<HandlerResult>,
): Promise<HandlerResult> {
  const required = call.operation.parameterParts.filter(
    ({ value }) => value.in === "header" && value.required === true,
  );
  const headers = required.map(({ value }) => (call.headers as Readonly<Record<string, unknown>>)[value.name]);
  const place = canonicalJson([call.operationId, call.publicUrl, call.query, headers]); // which can have a tenant
  const sent = readIdempotencyKey(call, place);
  if (sent === undefined) return run();
  const key = hash("sha256", `${sent.caller} ${sent.key}`);
  const digest = Buffer.from(sent.digest).toString("hex");
  const responses: RecordStore<Kept, Omit<Kept, "key">> = records(responsesCollection.name);
  const claim = { at: 0, digest, status: 0, headers: {} };
  // A concurrent request with the same key waits until the transaction that has created its record ends.
  const claimed = await responses.put(key, (record) => (record ? parse(record) : claim));
  const kept = claimed.outcome === "changed" ? parse(claimed.record) : undefined;
  if (kept && kept.at > Date.now() - idempotencyWindow) {
    if (kept.digest !== digest)
      throw new HttpError(
        { code: "idempotency_key_reused", status: 422 },
        "This Idempotency-Key was used with a different request. Use a new key.",
      );
    const { status, headers, type, body } = kept;
    return {
      status,
      headers: { ...headers, "Idempotency-Replayed": "true" },
      ...(type !== undefined && { type }),
      ...(body !== undefined && { body: isJson(type) ? new RawJson(body) : body }),
    };
  }
  const response = await run();
  if (response instanceof Error || response.status >= 400) return response;
  const { status, headers: own = {}, type, body } = response;
  const text = body instanceof RawJson ? body.text : isJson(type) ? body && toJson(body) : body;
  if (text !== undefined && (typeof text !== "string" || text.length > maxLength || isStream(body)))
    throw new Error(
      `The response of ${call.operationId} can't be kept for its Idempotency-Key: it is neither JSON nor a text of up to ${maxLength / 1_048_576} MiB.`,
    );
  await responses.put(key, () => ({ at: Date.now(), digest, status, headers: own, type, body: text }));
  return response;
}

const maxLength = 4_194_304;

function isJson(type: string | undefined): boolean {
  return type === undefined || /[/+]json(?:;|$)/.test(type);
}

function isStream(body: unknown): boolean {
  return ArrayBuffer.isView(body) || ["pipe", "next", "getReader"].some((name) => name in Object(body));
}

const parse = ({ text }: RawJson<Kept>) => parseJson(text) as Kept;

interface Kept {
  readonly key: string;
  readonly at: number; // milliseconds since 1970
  readonly digest: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly type?: string | undefined;
  /** A text, or JSON. */
  readonly body?: string | undefined;
}

/** Deletes up to two responses that are older than 24 hours. */
export async function forgetResponses({ records }: Pick<Store, "records">): Promise<void> {
  const responses = records<Kept>(responsesCollection.name);
  const { records: oldest } = await responses.list({ limit: 2 });
  const isOld = ({ at }: Kept) => at <= Date.now() - idempotencyWindow;
  // A request can have used the key of an old one again meanwhile.
  for (const one of parseJson(oldest.text) as Kept[])
    if (isOld(one)) await responses.remove(one.key, (now) => isOld(parse(now)));
}
