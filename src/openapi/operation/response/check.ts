// Compares what a handler returns with the document.
import type { FastifyReply } from "fastify";
import type { ResponseSchema } from "./declaration.ts";

/**
 * What happens to a response that does not match the document. `fail`: the response is 500. `log`: it is sent, and logged. `off`: it
 * is sent. An undeclared status is a 500 in all of these, and write-only members are removed. `none`: nothing is compared.
 */
export type ResponseValidation = "fail" | "log" | "off" | "none";

/** Compares one response with the document. */
export class ResponseCheck {
  readonly #validation: ResponseValidation;
  readonly #reply: FastifyReply;

  constructor(validation: ResponseValidation, reply: FastifyReply) {
    this.#validation = validation;
    this.#reply = reply;
  }

  /** Whether anything is compared. */
  get isNeeded(): boolean {
    return this.#validation !== "none";
  }

  /** Whether bodies and headers are compared with their schemas. */
  get comparesSchemas(): boolean {
    return this.#validation === "fail" || this.#validation === "log";
  }

  /** Reports a difference: throws an Error, or logs it. */
  report(message: string): void {
    if (this.#validation === "fail") throw new Error(message);
    const { log, callerName: key } = this.#reply.request;
    if (this.#validation === "log") log.warn({ key, reason: message }, "the response does not match the document");
  }

  /** Returns a value without its write-only members. Reports it if neither it nor the value of its text matches its schema. */
  check(value: unknown, status: number, schema: ResponseSchema | undefined, isText = false): unknown {
    if (schema === undefined) return value;
    let result = this.comparesSchemas ? schema.validate(value) : { value };
    if ("problems" in result && isText && typeof value === "string")
      result = schema.validate(schema.shape().parsePrimitive(value));
    if ("problems" in result) {
      const [{ path, requirement }] = result.problems;
      const part = path === "" ? "which" : `whose part '${path}'`;
      this.report(`The handler returned a body of the status ${status}, ${part} ${requirement}.`);
    }
    return schema.writeOnly ? schema.writeOnly.removeFrom(value) : value;
  }
}
