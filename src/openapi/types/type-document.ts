// Prepares a document for openapi-typescript: parts are where it expects them, and schemas are those of `TypeSchemas`.
import { setOwn } from "../../lib/index.ts";
import type { Document } from "../document/document.ts";
import type { Operation } from "../operation/operation.ts";
import {
  type Content,
  methods as documentMethods,
  type MediaTypeObject,
  type ParameterObject,
  type PathItem,
  type ResponseObject,
} from "../source/document-types.ts";
import { type Part, unescapeToken } from "../source/part.ts";
import { toNumbers } from "../source/text.ts";
import { hasItems } from "../wire/item-streams.ts";
import { formatOf } from "../wire/media-types.ts";
import { type TypeOptions, TypeSchemas } from "./type-schemas.ts";
import { TypeViews, type View } from "./type-views.ts";

type Json = Record<string, unknown>;

const methods = /^(GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE)$/;

/**
 * Returns a document with the same operations, in which all references lead to components. With `fillsDefaults`, parameters and members
 * of requests with a default always have a value. Without `hasNotes`, it has no texts for people.
 */
export function toTypeDocument(document: Document, options: TypeOptions): object {
  return new Converter(document, options).convert();
}

class Converter {
  readonly #document: Document;
  readonly #options: TypeOptions;
  readonly #schemas: TypeSchemas;
  readonly #components: Record<string, Json> = {}; // besides schemas, by section

  constructor(document: Document, options: TypeOptions) {
    const { operations, schemas } = document;
    this.#document = document;
    this.#options = options;
    const bodies = operations.flatMap(({ part }) => part.at("requestBody")?.membersOf("content") ?? []);
    const responses = operations.flatMap(({ part }) =>
      part.membersOf("responses").flatMap(([, response]) => response.membersOf("content")),
    );
    const views = new TypeViews(schemas, pointersOf(bodies), pointersOf(responses));
    this.#schemas = new TypeSchemas(schemas, views, options);
  }

  convert(): object {
    const { operations, root } = this.#document;
    const components = root.at("components") as Part<Record<string, Json>> | undefined;
    for (const [name] of components?.membersOf("schemas") ?? []) this.#schemas.addComponent(name);
    const paths: Record<string, Json> = {};
    for (const operation of operations) {
      const { path, method } = operation;
      // openapi-typescript knows no other methods. The path does not matter for the type of an operation.
      const [key, name] = methods.test(method) ? [path, method.toLowerCase()] : [`${path} ${method}`, "post"];
      paths[key] = { ...paths[key], [name]: this.#convertOperation(operation) };
    }
    const webhooks = (root as Part<{ readonly webhooks?: Record<string, PathItem> }>).membersOf("webhooks");
    const converted = {
      openapi: "3.1.0",
      info: { title: "", version: "" },
      paths,
      ...(webhooks.length > 0 && {
        webhooks: Object.fromEntries(webhooks.map(([name, item]) => [name, this.#convertWebhook(item)])),
      }),
      components: { schemas: this.#schemas.components, ...this.#components },
    };
    this.#schemas.finish();
    return toNumbers(converted) as object;
  }

  #convertOperation({ id, part, parameterParts }: Operation): Json {
    const body = part.at("requestBody");
    const responses = part.membersOf("responses").filter(([status]) => !status.startsWith("x-"));
    return {
      operationId: id,
      ...this.#notesOf(part),
      parameters: parameterParts.map((parameter) =>
        this.#refer("parameters", parameter, () => this.#convertParameter(parameter)),
      ),
      ...(body && {
        requestBody: this.#refer("requestBodies", body, () => ({
          ...this.#notesOf(body),
          required: body.value.required,
          content: this.#convertContent(body, "request"),
        })),
      }),
      responses: Object.fromEntries(
        responses.map(([status, response]) => [
          /^[1-5]xx$/i.test(status) ? status.toUpperCase() : status,
          this.#refer("responses", response, () => this.#convertResponse(response)),
        ]),
      ),
    };
  }

  // The application sends the requests of a webhook: its view of them is that of a response. They have no handlers, and no id.
  #convertWebhook(item: Part<PathItem>): Json {
    const operations = documentMethods.flatMap((method): [string, Json][] => {
      const part = item.at(method);
      if (part === undefined) return [];
      const parameters = [...item.membersOf("parameters"), ...part.membersOf("parameters")];
      const body = part.at("requestBody");
      const responses = part.membersOf("responses").map(([status, response]): [string, Json] => {
        const content = this.#convertContent(response, "request");
        return [status, { description: "", ...this.#notesOf(response), content }];
      });
      const converted = {
        ...this.#notesOf(part),
        parameters: parameters.map(([, parameter]) => this.#convertParameter(parameter)),
        ...(body && {
          requestBody: { required: body.value.required, content: this.#convertContent(body, "response") },
        }),
        responses: Object.fromEntries(responses),
      };
      return [[method, converted]];
    });
    return Object.fromEntries(operations);
  }

  #notesOf({ value }: Part): Json {
    if (!this.#options.hasNotes) return {};
    const names = ["summary", "description", "deprecated"].filter((name) => Object.hasOwn(Object(value), name));
    return Object.fromEntries(names.map((name) => [name, (value as Json)[name]]));
  }

  // A component stays one. Another part is where it is used.
  #refer(section: string, { pointer }: Part, convert: () => Json): Json {
    const [, kind, name, ...others] = pointer.split("/").slice(1);
    if (kind !== section || name === undefined || others.length > 0 || !pointer.startsWith("/components/"))
      return convert();
    const components = this.#components[section] ?? {};
    this.#components[section] = components;
    const key = unescapeToken(name);
    if (!Object.hasOwn(components, key)) setOwn(components, key, convert());
    return { $ref: `#${encodeURI(pointer)}` };
  }

  #convertParameter(parameter: Part<ParameterObject>): Json {
    const { name, in: location, required } = parameter.value;
    const hasDefault = this.#document.schemas.hasDefaultAt(parameter.written("schema")?.pointer);
    const isGiven = required === true || (this.#options.fillsDefaults && hasDefault);
    return { name, in: location, ...this.#convertHeader(parameter), required: isGiven };
  }

  #convertResponse(response: Part<ResponseObject>): Json {
    const headers = response.membersOf("headers").map(([name, header]): [string, Json] => {
      const { required } = header.value;
      const converted = this.#refer("headers", header, () => this.#convertHeader(header));
      // openapi-typescript takes a reference to a header for one to a required header.
      return [name, "$ref" in converted ? { required, schema: converted } : converted];
    });
    return {
      description: "",
      ...this.#notesOf(response),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
      ...(response.value.content && { content: this.#convertContent(response, "response") }),
    };
  }

  #convertHeader(header: Part<ParameterObject>): Json {
    const { required } = header.value;
    const [, content] = header.membersOf("content")[0] ?? [];
    return { ...this.#notesOf(header), required, schema: this.#convertSchema(content ?? header, "response") };
  }

  #convertContent(part: Part<{ readonly content?: Content }>, view: "request" | "response"): Json {
    const contents = part.membersOf("content").map(([type, content]): [string, Json] => {
      const isForm = view === "request" && formatOf(type) === "multipart";
      const items = hasItems(type) ? content.written("itemSchema") : undefined;
      if (items) return [type, { schema: { type: "array", items: this.#schemas.convertAt(items.pointer, view) } }];
      return [type, { schema: this.#convertSchema(content, isForm ? "form" : view) }];
    });
    return Object.fromEntries(contents);
  }

  #convertSchema(part: Part<MediaTypeObject> | Part<ParameterObject>, view: View): Json {
    const schema = (part as Part<MediaTypeObject>).written("schema");
    return schema ? this.#schemas.convertAt(schema.pointer, view) : {};
  }
}

function pointersOf(contents: readonly (readonly [string, Part<MediaTypeObject>])[]): string[] {
  return contents.flatMap(([, content]) =>
    (["schema", "itemSchema"] as const).flatMap((name) => content.written(name)?.pointer ?? []),
  );
}
