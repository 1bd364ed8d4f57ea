// The types that bind handlers to the document. The compiler reports each @ts-expect-error whose line compiles.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { operations } from "../../examples/library/operations.ts";
import type { operations as petOperations } from "../../src/generated/openapi.ts";
import type * as openapi from "../../src/index.ts";
import type { RoutesOptions } from "../../src/openapi/index.ts";
import type { Caller } from "../../src/operate/keys/api-keys.ts";
import { fail } from "../../src/pets/errors.ts";
import type { Context, Handler, Handlers } from "../../src/pets/handler.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { editDocument, findOperation, findParameter } from "../support/document.ts";
import { folder, root } from "../support/files.ts";

const pet = { id: 1n, name: "Rex", categoryId: 7n };

export const good: Handler<"getPet"> = async ({ params }, { pets }) => {
  const found = await pets.find(params.petId);
  return found ? { status: 200, body: found } : fail("pet_not_found", "");
};

// @ts-expect-error a status that the operation does not declare
export const undeclaredStatus: Handler<"getPet"> = async () => ({ status: 201, body: pet });

// A failure of its own is that of `default`.
export const undeclaredFailure: Handler<"getPet"> = async () => fail("content_too_large", "");

// @ts-expect-error the body of another status
export const otherBody: Handler<"getPet"> = async () => ({ status: 404, body: pet });

// @ts-expect-error an id that is not a bigint
export const roundedId: Handler<"getPet"> = async () => ({ status: 200, body: { ...pet, id: 1 } });

// @ts-expect-error a value outside the enum
export const otherStatus: Handler<"getPet"> = async () => ({ status: 200, body: { ...pet, status: "no status" } });

// @ts-expect-error a header that the response does not declare
export const otherHeader: Handler<"listPets"> = async () => ({ status: 200, body: [], headers: { Links: "" } });

// @ts-expect-error a path parameter that the operation does not have
export const otherParameter: Handler<"getPet"> = async ({ params }) => fail("pet_not_found", `${params.id}`);

// @ts-expect-error a query parameter that the operation does not have
export const otherQuery: Handler<"listPets"> = async ({ query }) => ({ status: 200, body: [], limit: query.size });

// @ts-expect-error an operation without a handler
export const missing: Handlers = { listPets: handlers.listPets, createPet: handlers.createPet };

// @ts-expect-error a handler without an operation
export const orphan = { ...handlers, removePet: handlers.getPet } satisfies Handlers;

/** A handler of the library of books, whose types openapi-typescript generates without any option. */
type Book<Id extends keyof operations> = openapi.Handler<operations, Id>;
const book = { id: 1n, title: "Emma", author: "Austen", copies: 1 };

export const withoutBody: Book<"removeBook"> = async () => ({ status: 204 });

// @ts-expect-error a body of a response that has none
export const withBody: Book<"removeBook"> = async () => ({ status: 204, body: book });

// @ts-expect-error a response without its body
export const noBody: Book<"getBook"> = async () => ({ status: 200 });

export const withHeader: Book<"addBook"> = async ({ body }) => ({
  status: 201,
  body: { id: 1n, ...body },
  headers: { Location: "/1" },
});

type Options = RoutesOptions<petOperations, Context, Caller>;

// @ts-expect-error a context without the store
export const incompleteContext: Options["context"] = () => ({});

type Authenticate = openapi.SecurityScheme<Caller>["authenticate"];

// @ts-expect-error a security scheme that returns another caller
export const otherCaller: Authenticate = async () => ({ id: "1" });

const run = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
};

t.test("The project compiles, and each line above with an error does not", async (t) => {
  t.same(run(root, "node_modules/typescript/bin/tsc"), { status: 0, stdout: "", stderr: "" });
});

t.test("The generated types are up to date", async (t) => {
  t.same(run(root, "scripts/generate.ts", "--check"), { status: 0, stdout: "", stderr: "" });
});

t.test("The types of a parameter with a default always have a value, also through a reference", async (t) => {
  const copy = folder(t);
  for (const name of ["openapi", "src", "scripts", "examples", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const text = editDocument((document) => {
    const { parameters } = findOperation(document, "listPets");
    const limit = findParameter(document, "listPets", "limit");
    parameters[parameters.indexOf(limit)] = { $ref: "#/components/parameters/Limit" };
    document.components.parameters = { Limit: limit };
  });
  writeFileSync(join(copy, "openapi/petstore.yaml"), text);
  t.match(run(copy, "scripts/generate.ts", "--check"), { status: 1, stderr: /out of date\. Run npm run generate/ });
  t.match(run(copy, "scripts/generate.ts"), { status: 0 });
  t.match(run(copy, "scripts/generate.ts", "--check"), { status: 0 });
  const types = readFileSync(join(copy, "src/generated/openapi.ts"), "utf8");
  t.match(types, /parameters: \{[^}]*Limit: number;/, "the parameter is required");
  t.match(types, /listPets: \{\s+parameters: \{\s+query: \{/, "and so is the query");
});
