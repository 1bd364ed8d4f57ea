// Values that an application reads by itself: compared with the schemas of the document, by their names.
import { InvalidRequest } from "../../http/index.ts";
import {
  findSimilarName,
  getOrAdd,
  InvalidValue,
  lineDelimiter,
  type Problem,
  parseJsonBytes,
  readRecords,
} from "../../lib/index.ts";
import { toInvalidRequest } from "../operation/invalid-request.ts";
import type { Validate } from "../schema/keyword.ts";
import { type DocumentOptions, isParsed, readDocument } from "./document.ts";

/** A valid value, or up to ten problems: the path of each, such as `owner.name`, and the requirement that it violates. */
export type Validated<Value = unknown> =
  | { readonly value: Value; readonly problems?: undefined }
  | { readonly problems: readonly [Problem, ...Problem[]]; readonly value?: undefined };

/** Compares a value with a schema of the document, by its name in `components.schemas`. */
export type Validator<Schemas> = <Name extends keyof Schemas & string>(
  name: Name,
  value: unknown,
) => Validated<Schemas[Name]>;

const requestSuffix = " (request)"; // as in the generated types

/**
 * Creates a function that compares values with the schemas in `components.schemas` of a document. A valid value is converted in place:
 * an int64 is a bigint. By default, the rules are those of responses. A name such as `Ticket (request)` has those of requests, which also
 * fill defaults. Rejects with an Error if the document has errors. The function throws an Error for an unknown name.
 *
 * @example
 * const validate = await createValidator<components["schemas"]>("tickets.yaml");
 * const { value, problems } = validate("Ticket", parsed);
 */
export async function createValidator<Schemas = Record<string, unknown>>(
  document: string | URL | object,
  options: Pick<DocumentOptions, "strict" | "ignore" | "formats" | "allowedFolders"> = {},
): Promise<Validator<Schemas>> {
  const { schemas, root } = isParsed(document) ? document : await readDocument(document, options);
  const named = root.at("components")?.at("schemas");
  const compile = (name: string): Validate => {
    const part = named?.written(name.replace(requestSuffix, ""));
    const similar = findSimilarName(name, Object.keys(named?.value ?? {}));
    if (part === undefined)
      throw new Error(`The document has no schema ${name}.${similar ? ` Did you mean ${similar}?` : ""}`);
    const isRequest = name.endsWith(requestSuffix);
    return schemas.compileReaderAt(part.pointer, isRequest ? "request" : "response", isRequest);
  };
  const compiled = new Map<string, Validate>();
  return (name, value) => getOrAdd(compiled, name, () => compile(name))(value) as Validated<never>;
}

/**
 * Yields the items of a body of JSON lines (`application/jsonl`, `application/x-ndjson`) as they arrive, with exact integers. Throws an
 * HttpError (400) that names the line of the first item that `validate` rejects, or that is not JSON.
 *
 * @example
 * for await (const ticket of readItems(body, (item) => validate("Ticket (request)", item))) tickets.push(ticket);
 */
export async function* readItems<Item>(
  body: AsyncIterable<Buffer>,
  validate: (item: unknown) => Validated<Item>,
): AsyncGenerator<Item, void> {
  for await (const lines of readRecords(body, Number.POSITIVE_INFINITY, lineDelimiter))
    for (const { firstLine, bytes } of lines) {
      if (bytes === undefined || bytes.length === 0) continue;
      const { value, problems } = readItem(bytes, validate);
      if (problems !== undefined) {
        const { details } = toInvalidRequest(problems, "body", "field", "item");
        throw new InvalidRequest(details.map((one) => ({ ...one, message: `Line ${firstLine}: ${one.message}` })));
      }
      yield value;
    }
}

function readItem<Item>(bytes: Buffer, validate: (item: unknown) => Validated<Item>): Validated<Item> {
  try {
    return validate(parseJsonBytes(bytes));
  } catch (error) {
    if (error instanceof InvalidValue) return { problems: [error] };
    throw error;
  }
}
