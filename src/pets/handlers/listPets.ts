// GET /pets: lists pets in pages.
import { linkPages, readCursor } from "../../resources/index.ts";
import { fail } from "../errors.ts";
import type { Handler } from "../handler.ts";

export const listPets: Handler<"listPets"> = async ({ query, publicUrl }, { pets }) => {
  const position = readCursor(query);
  if (position === null)
    return fail(
      "invalid_cursor",
      "The cursor is not valid for this list and filter. Use a cursor from the Link header of the same list, with the same filter, or omit it.",
    );
  const { limit, cursor, ...filter } = query;
  const page = await pets.list({ limit, position, filter });
  return { status: 200, body: page.records, headers: { Link: linkPages(publicUrl, query, position, page) } };
};
