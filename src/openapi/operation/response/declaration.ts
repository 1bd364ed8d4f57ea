// The responses that the document declares for an operation.
import { isHeaderName } from "../../../http/index.ts";
import type { Validate } from "../../schema/keyword.ts";
import type { MarkedMembers } from "../../schema/marked-members.ts";
import type { Schemas } from "../../schema/schemas.ts";
import type { Shape } from "../../schema/shape.ts";
import type { MediaTypeObject, OperationObject, ResponseObject } from "../../source/document-types.ts";
import type { ReportReason } from "../../source/findings.ts";
import type { Part } from "../../source/part.ts";
import { hasItems } from "../../wire/item-streams.ts";
import { isJson, listContents } from "../../wire/media-types.ts";

/** A declared response. */
export interface Declaration {
  /** By media type or range. */
  readonly contents: ReadonlyMap<string, ResponseContent>;
  readonly headers: ReadonlyMap<string, Header>; // by name in lower case
  /** Whether it gets an ETag: a success that declares one, and a body. */
  readonly isTagged: boolean;
}

/** The schemas of a body and of the items of a stream; undefined for any value. */
export interface ResponseContent {
  readonly schema: ResponseSchema | undefined;
  readonly itemSchema: ResponseSchema | undefined;
}

/** A schema of a response. */
export interface ResponseSchema {
  readonly validate: Validate;
  /** The shape of its values. */
  readonly shape: () => Shape;
  /** What of its values is write-only; undefined if nothing in the document is. */
  readonly writeOnly: MarkedMembers | undefined;
}

/** A declared header. */
export interface Header {
  readonly required: boolean;
  readonly explode: boolean;
  /** Whether it is sent as JSON. */
  readonly isJson: boolean;
  readonly validate: Validate | undefined;
  /** The shape of its values. */
  readonly shape: () => Shape;
}

// OpenAPI ignores Content-Type (3.1.1, section 4.8.17). Node sets the others when it sends the response.
const automaticHeaders = /^(connection|content-length|content-type|date|keep-alive|transfer-encoding)$/;

/** Compiles the responses of an operation, by status, range of statuses or `default`. Reports what no response can have. */
export function compileDeclarations(
  operation: Part<OperationObject>,
  schemas: Schemas,
  report: ReportReason,
): ReadonlyMap<string, Declaration> {
  const responses = operation.membersOf("responses");
  const declarations = responses.map(([status, response]): [string, Declaration] => {
    const { pointer } = response;
    const notStatus = `has the response ${status}, which is neither a status, nor a range such as 4XX, nor default`;
    if (!/^([1-5]([0-9]{2}|XX)|default|x-.*)$/.test(status)) report("status", notStatus, pointer);
    for (const [name] of response.membersOf("headers")) {
      const reason = `has a response header with the name '${name}', which HTTP does not allow`;
      if (!isHeaderName(name)) report("response-header", reason, pointer);
    }
    const headers = response.membersOf("headers").flatMap(([, header]) => header.membersOf("content"));
    listContents([...response.membersOf("content"), ...headers], (reason) =>
      report("response-content", `has a response ${reason}`, pointer),
    );
    for (const [mediaType, content] of listContents(response.membersOf("content"))) {
      const reason = `has an itemSchema for a response of ${mediaType}, which is not enforced, because the handler writes the items itself`;
      if (content.written("itemSchema") && !hasItems(mediaType) && !mediaType.includes("*"))
        report(`stream:${mediaType}`, reason, pointer);
    }
    return [status, compileResponse(response, schemas, /^2/.test(status))];
  });
  return new Map(declarations);
}

function compileResponse(response: Part<ResponseObject>, schemas: Schemas, isSuccess: boolean): Declaration {
  const written = response.membersOf("content");
  const contents = listContents(written).map(([type, part]): [string, ResponseContent] => {
    const [schema, itemSchema] = (["schema", "itemSchema"] as const).map((key) =>
      compileSchema(part.written(key), schemas),
    );
    return [type, { schema, itemSchema }];
  });
  // Nobody can say what was meant, so that a handler can return any type.
  if (contents.length < Math.min(written.length, 1))
    contents.push(["*/*", { schema: undefined, itemSchema: undefined }]);
  const headers = response.membersOf("headers").map(([name, part]): [string, Header] => {
    const { required = false, explode = false } = part.value;
    const [type, content] = listContents(part.membersOf("content"))[0] ?? [];
    const schema = (content ?? (part as Part<MediaTypeObject>)).written("schema");
    const validate = schema && schemas.compileCheckAt(schema.pointer);
    const shape = () => schemas.shapeAt(schema?.pointer);
    return [name.toLowerCase(), { required, explode, isJson: type !== undefined && isJson(type), validate, shape }];
  });
  const own = new Map(headers.filter(([name]) => !automaticHeaders.test(name)));
  const isTagged = isSuccess && own.has("etag") && contents.length > 0;
  return { contents: new Map(contents), headers: own, isTagged };
}

function compileSchema(part: Part | undefined, schemas: Schemas): ResponseSchema | undefined {
  if (part === undefined) return undefined;
  const { pointer } = part;
  let writeOnly: { readonly members: MarkedMembers | undefined } | undefined;
  return {
    validate: schemas.compileCheckAt(pointer),
    shape: () => schemas.shapeAt(pointer),
    get writeOnly() {
      writeOnly ??= { members: schemas.writeOnlyMembersAt(pointer) }; // when the first response is sent
      return writeOnly.members;
    },
  };
}
