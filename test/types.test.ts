// What must not compile: each line under @ts-expect-error would fail `npm run types` if it did.
import { spawnSync } from "node:child_process";
import t from "tap";
import type { Handler, Handlers } from "../src/contract.ts";
import { fail } from "../src/errors.ts";
import { handlers } from "../src/handlers.ts";

const pet = { id: 1n, name: "Rex", categoryId: 7n };

export const good: Handler<"getPet"> = async ({ params }, { pets }) => {
  const found = await pets.find(params.petId);
  return found ? { status: 200, body: found } : fail("pet_not_found", "");
};

// @ts-expect-error a status that the operation does not declare
export const undeclaredStatus: Handler<"getPet"> = async () => ({ status: 201, body: pet });

// @ts-expect-error a failure that the operation does not declare
export const undeclaredFailure: Handler<"getPet"> = async () => fail("content_too_large", "");

// @ts-expect-error the body of another status
export const otherBody: Handler<"getPet"> = async () => ({ status: 404, body: pet });

// @ts-expect-error an id that is no bigint
export const roundedId: Handler<"getPet"> = async () => ({ status: 200, body: { ...pet, id: 1 } });

// @ts-expect-error a value that the enum does not have
export const otherStatus: Handler<"getPet"> = async () => ({ status: 200, body: { ...pet, status: "no status" } });

// @ts-expect-error a header that the answer does not declare
export const otherHeader: Handler<"listPets"> = async () => ({ status: 200, body: [], headers: { Links: "" } });

// @ts-expect-error a path parameter that the operation does not have
export const otherParameter: Handler<"getPet"> = async ({ params }) => fail("pet_not_found", `${params.id}`);

// @ts-expect-error a query parameter that the operation does not have
export const otherQuery: Handler<"listPets"> = async ({ query }) => ({ status: 200, body: [], limit: query.size });

// @ts-expect-error an operation without a handler
export const missing: Handlers = { listPets: handlers.listPets, createPet: handlers.createPet };

// @ts-expect-error a handler without an operation
export const orphan = { ...handlers, removePet: handlers.getPet } satisfies Handlers;

t.test("the types hold", async (t) => {
  const tsc = new URL("../node_modules/typescript/bin/tsc", import.meta.url).pathname;
  const { status, stdout } = spawnSync(process.execPath, [tsc], {
    cwd: new URL("..", import.meta.url).pathname,
    encoding: "utf8",
  });
  t.same({ status, stdout }, { status: 0, stdout: "" });
});
