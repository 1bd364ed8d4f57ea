// Fastify and pg without authentication, validation and batches: one prepared statement for each request.
import fastify from "fastify";
import pg from "pg";
import { failure, pet } from "./schemas.ts";

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const columns = `id, name, category_id AS "categoryId", status`;
const text = `SELECT ${columns} FROM public.pets WHERE id = $1`;
const page = `SELECT ${columns} FROM public.pets WHERE id > $1 ORDER BY id LIMIT $2`;

const app = fastify();

app.get<{ Params: { petId: string } }>(
  "/v1/pets/:petId",
  { schema: { response: { 200: pet, 404: failure } } },
  async ({ params }, reply) => {
    const { rows } = await pool.query({ name: "find", text, values: [params.petId] });
    const [found] = rows;
    if (found === undefined) {
      reply.code(404);
      return { code: "pet_not_found", message: `No pet has the id ${params.petId}.`, status: 404 };
    }
    return withoutNull(found);
  },
);

app.get<{ Querystring: { limit?: string; cursor?: string } }>(
  "/v1/pets",
  { schema: { response: { 200: { type: "array", items: pet } } } },
  async ({ query: { limit = "20", cursor } }) => {
    const after = cursor === undefined ? 0n : Buffer.from(cursor, "base64url").readBigInt64BE();
    const { rows } = await pool.query({ name: "list", text: page, values: [after, limit] });
    return rows.map(withoutNull);
  },
);

function withoutNull(row: { status: string | null | undefined }): object {
  if (row.status === null) row.status = undefined;
  return row;
}

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
