// The body of a request: its content by media type, and its validation.

import type { Validate } from "../schema/keyword.ts";
import type { MarkedMembers } from "../schema/marked-members.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { MediaTypeObject, OperationObject } from "../source/document-types.ts";
import type { ReportReason } from "../source/findings.ts";
import type { Part } from "../source/part.ts";
import { type BodyFormat, findFormat } from "../wire/body-formats.ts";
import type { FormEncoding } from "../wire/form-bodies.ts";
import { listContents, selectMediaType } from "../wire/media-types.ts";
import { type ReadPart, toInvalidRequest } from "./invalid-request.ts";

/** The content of a body in one media type. */
export interface BodyContent {
  readonly format: BodyFormat;
  /** Undefined if it can have any value. */
  readonly validate: Validate | undefined;
  /** The same without default values. */
  readonly validateAsSent: Validate | undefined;
  /** Returns a value without its read-only members, if the option says so. */
  readonly removeReadOnly: ((value: unknown) => unknown) | undefined;
  /** Describes the fields of a form. Created at the first request. */
  readonly encoding: () => FormEncoding;
}

/** A body as it was sent: the declared content, and the value that was read. */
export class RawBody {
  readonly content: BodyContent;
  readonly value: unknown;
  /** Reads it again, with texts wherever they are allowed; undefined if they can't be meant. */
  readonly readAsTexts: (() => unknown) | undefined;

  constructor(content: BodyContent, value: unknown, readAsTexts?: () => unknown) {
    this.content = content;
    this.value = value;
    this.readAsTexts = readAsTexts;
  }
}

/** The request body of an operation. */
export class Body {
  readonly required: boolean;
  /** The maximum size in bytes; undefined for Fastify's default of 1 MiB. */
  readonly maxBytes: number | undefined;
  /** The accepted media types and ranges. */
  readonly mediaTypes: readonly string[];
  readonly #contents: ReadonlyMap<string, BodyContent>;

  constructor(options: Pick<Body, "required" | "maxBytes"> & { readonly contents: ReadonlyMap<string, BodyContent> }) {
    this.required = options.required;
    this.maxBytes = options.maxBytes;
    this.mediaTypes = [...options.contents.keys()];
    this.#contents = options.contents;
  }

  /** Returns the content of a media type; undefined if it is not accepted. */
  select(mediaType: string): BodyContent | undefined {
    const exact = this.#contents.get(mediaType);
    if (exact !== undefined) return exact;
    const declared = selectMediaType(this.mediaTypes, mediaType);
    const content = declared === undefined ? undefined : this.#contents.get(declared);
    if (content === undefined || !content.format.isStream || !declared?.includes("*")) return content;
    // If the schema of a range describes more than bytes, the media type of the request selects the reader.
    const types = [...content.encoding().shape.types];
    if (types.every((type) => type === "string")) return content;
    const format = findFormat(mediaType);
    return format.isStream ? undefined : { ...content, format };
  }

  /** The media types whose bodies are streams, which are not validated. */
  get streamTypes(): string[] {
    return [...this.#contents].flatMap(([type, content]) =>
      content.format.isStream && this.select(type)?.format.isStream ? [type] : [],
    );
  }

  /** Returns the value of a `RawBody`, with default values unless it is a patch. */
  read(body: unknown, isPatch: boolean): ReadPart {
    if (!(body instanceof RawBody)) return { value: undefined }; // an optional body that was not sent
    const { value, content, readAsTexts } = body;
    const { format, removeReadOnly } = content;
    const validate = isPatch ? content.validateAsSent : content.validate;
    if (validate === undefined) return { value };
    const check = (sent: unknown) => {
      const read = removeReadOnly ? removeReadOnly(sent) : sent;
      return format.validate ? format.validate(read, validate) : validate(read);
    };
    const result = check(value);
    if ("value" in result) return result;
    const other = readAsTexts && check(readAsTexts());
    return other && "value" in other ? other : { error: toInvalidRequest(result.problems, "body", "field") };
  }
}

/** Compiles the body of an operation; undefined if it has none. Reports what would not be enforced. */
export function compileBody(
  method: string,
  operation: Part<OperationObject>,
  schemas: Schemas,
  report: ReportReason,
): Body | undefined {
  const body = operation.at("requestBody");
  if (body === undefined) return undefined;
  if (/^(get|head|trace)$/.test(method)) {
    const reason = `has a body, which is ignored, because ${method.toUpperCase()} requests have none: use POST or QUERY`;
    report("get-body", reason, body.pointer);
    return undefined;
  }
  const { required = false, "x-max-bytes": limit } = body.value;
  const maxBytes = Number.isSafeInteger(limit) && Number(limit) > 0 ? limit : undefined;
  if (maxBytes !== limit)
    report("extension", `has the x-max-bytes ${limit}, but it must be a positive integer`, body.pointer);
  const all = body.membersOf("content");
  const parts = listContents(all);
  for (const [type, part] of all.filter((one) => !parts.includes(one))) {
    const reason = `has a body of ${type}, which is neither a media type nor a range such as application/*`;
    if (parts.length > 0) report("content-type", `${reason}: only the others are accepted`, part.pointer);
    else report("content", reason, part.pointer);
  }
  const contents = parts.map(([type, part]) => [type, compileContent(type, part, schemas, report)] as const);
  if (all.length === 0) report("content", "has a body without a media type", body.pointer);
  if (parts.length === 0) return undefined;
  const compiled = new Body({ required, maxBytes, contents: new Map(contents) });
  for (const [type, part] of parts) {
    const isStream = compiled.streamTypes.includes(type);
    const schema = isStream ? part.written("schema") : undefined;
    const isIgnored = schema !== undefined && !schemas.shapeAt(schema.pointer).isBinary;
    const field = part.written("itemSchema") ? "an itemSchema" : isIgnored ? "a schema" : undefined;
    const way = isStream ? "as a stream, without validation" : "as one value: write schema";
    if (field)
      report(`stream:${type}`, `has ${field} for a body of ${type}, which the handler gets ${way}`, body.pointer);
  }
  return compiled;
}

function compileContent(
  mediaType: string,
  part: Part<MediaTypeObject>,
  schemas: Schemas,
  report: ReportReason,
): BodyContent {
  const format = findFormat(mediaType);
  const schema = part.written("schema");
  if (schema === undefined && !format.isStream && !mediaType.includes("*"))
    report("no-schema", `has a body without a schema for ${mediaType}, so that any value is valid`, part.pointer);
  // RFC 6902 defines the body, as an array. Kubernetes' document has an object.
  const isOtherPatch = /^application\/json-patch\+json\b/i.test(mediaType) && isNoArray(schema, schemas);
  if (isOtherPatch)
    report("json-patch", `has a schema for ${mediaType} that no JSON Patch (RFC 6902) matches, an array`, part.pointer);
  let encoding: FormEncoding | undefined;
  let members: MarkedMembers | undefined;
  const removeReadOnly = (value: unknown) => {
    members ??= schemas.readOnlyMembersAt(schema?.pointer as string);
    return members ? members.removeFrom(value) : value;
  };
  const compile = (fillsDefaults: boolean) =>
    schema && !isOtherPatch ? schemas.compileReaderAt(schema.pointer, "request", fillsDefaults) : undefined;
  return {
    format,
    removeReadOnly: schema && schemas.dropsReadOnly ? removeReadOnly : undefined,
    validate: compile(true),
    validateAsSent: compile(false),
    encoding: () => {
      encoding ??= { shape: schemas.shapeAt(schema?.pointer), parts: part.value.encoding ?? {} };
      return encoding;
    },
  };
}

function isNoArray(schema: Part | undefined, schemas: Schemas): boolean {
  const types = schemas.shapeAt(schema?.pointer).types;
  return types.size > 0 && !types.has("array");
}
