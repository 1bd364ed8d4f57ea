import { fail } from "../../http/index.ts";
import type { Handler } from "../../spec/index.ts";
export const listPets: Handler<"listPets"> = async ({ query }, { pets, pages }) => {
  const after = pages.after(query);
  if (after === null)
    return fail(
      "invalid_cursor",
      "The cursor does not belong to this list and filter: follow the Link header as it is, or begin without one.",
    );
  const { cursor, ...wanted } = query;
  const page = await pets.list({ ...wanted, after });
  const next = pages.next(query, page);
  return { status: 200, body: page.pets, headers: next === undefined ? undefined : { Link: next } };
};
