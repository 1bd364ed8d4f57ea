// GET /pets: lists pets in pages.

import { fail } from "../errors.ts";
import type { Handler } from "../handler.ts";
import { linkPages, readCursor } from "../pages.ts";

export const listPets: Handler<"listPets"> = async ({ query }, { pets, url }) => {
  const position = readCursor(query);
  if (position === null)
    return fail(
      "invalid_cursor",
      "The cursor is not valid for this list and filter. Use a cursor from the Link header of the same list, with the same filter, or omit it.",
    );
  const { cursor, ...selection } = query;
  const page = await pets.list({ ...selection, position });
  return { status: 200, body: page.pets, headers: { Link: linkPages(url, query, position, page) } };
};
