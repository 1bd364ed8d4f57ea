// Fastify and pg without authentication, validation and batches: one prepared statement for each request.
import fastify from "fastify";
import pg from "pg";
import { failure, pet } from "./schemas.ts";

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const text = `SELECT id, name, category_id AS "categoryId", status FROM petstore.pets WHERE id = $1`;

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
    if (found.status === null) found.status = undefined;
    return found;
  },
);

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
