// Who is measured, and what each of them can do.
import type { WorkId } from "./work.ts";

/** A program that answers the same calls. */
export interface Contender {
  readonly name: string;
  /** What to start, from the project's folder, and with which settings beside the port. */
  readonly program: readonly string[];
  environment(database: { file: string; postgres: string }): Record<string, string>;
  readonly works: readonly WorkId[];
}

const reads: WorkId[] = ["get", "list20", "list100"];
const stored: WorkId[] = ["lists"];
const writes: WorkId[] = ["create1", "create32", "create64", "create256", "mix"];
const refusals: WorkId[] = ["refused401", "refused400"];
const all = [...reads, ...stored, ...writes, ...refusals];

const peer = (name: string, file: string, works = all): Contender => ({
  name,
  program: [`scripts/bench/${file}`],
  environment: ({ file }) => ({ DATABASE_FILE: file, NODE_ENV: "production" }),
  works,
});

const service = (name: string, url: (database: { file: string; postgres: string }) => string, log = "warn") => ({
  name,
  program: ["src/bin.js", "serve"],
  environment: (database: { file: string; postgres: string }) => ({
    DATABASE_URL: url(database),
    LOG_LEVEL: log,
    RATE_LIMIT_FAILED: "999999999/1s", // so that a 401 is measured, and not the 429 after it
  }),
  works: all,
});

/** All of them. No one logs requests, but for the one that says so. */
export const contenders = {
  sqlite: service("Pet Store", ({ file }) => `sqlite:${file}`),
  logging: service("Pet Store, logging each request", ({ file }) => `sqlite:${file}`, "info"),
  postgres: service("Pet Store, beside PostgreSQL", ({ postgres }) => postgres),
  ready: peer("node:http, ready bytes", "contenders/ready.ts", reads),
  fastify: peer("Fastify by hand, no checks", "contenders/fastify.ts", [...reads, ...stored, ...writes]),
  glue: peer("fastify-openapi-glue", "contenders/glue.ts"),
  openapiBackend: peer("openapi-backend on Fastify", "contenders/openapi-backend.ts"),
  expressValidator: peer("express-openapi-validator", "contenders/express-openapi-validator.ts"),
  hono: peer("Hono zod-openapi", "contenders/hono-zod-openapi.ts"),
  nest: peer("NestJS on Fastify", "build/contenders/nest.js"),
} satisfies Record<string, Contender>;

/** The name of a contender in the code. */
export type ContenderId = keyof typeof contenders;
