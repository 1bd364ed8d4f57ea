// The servers that the comparison measures.
import type { WorkloadId } from "./workloads.ts";

/** The databases of a contender: a SQLite file and the URL of a PostgreSQL database. */
export interface Databases {
  readonly file: string;
  readonly postgres: string;
}

/** A server with the API of the Pet Store, or a part of it. */
export interface Contender {
  readonly name: string;
  /** The arguments of Node, in the root of the project. */
  readonly program: readonly string[];
  /** Returns the environment, without the port. */
  environment(databases: Databases): Record<string, string>;
  readonly workloads: readonly WorkloadId[];
  /** Whether its table has a column for each field of a pet, instead of the JSON of the pet. */
  readonly hasColumns: boolean;
}

const reads: WorkloadId[] = ["get", "list20", "list100", "hotGet", "hotList20"];
const creates: WorkloadId[] = ["create1", "create32", "create64", "create256", "mix"];
const all: WorkloadId[] = [...reads, ...creates, "unauthorized", "badRequest"];

const framework = (name: string, file: string, workloads = all): Contender => ({
  name,
  program: [`scripts/bench/${file}`],
  environment: ({ file, postgres }) => ({ DATABASE_FILE: file, DATABASE_URL: postgres, NODE_ENV: "production" }),
  workloads,
  hasColumns: true,
});

const petStore = (
  name: string,
  url: (databases: Databases) => string,
  { logLevel = "warn", ...rest }: Partial<Contender> & { readonly logLevel?: string } = {},
): Contender => ({
  name,
  program: ["src/bin.js", "serve"],
  environment: (databases) => ({
    DATABASE_URL: url(databases),
    LOG_LEVEL: logLevel,
    RATE_LIMIT: "none",
    RATE_LIMIT_FAILED: "999999999/1s", // otherwise the workload for 401 would measure 429
  }),
  workloads: [...all, "get1", "getAfterSilence"],
  hasColumns: false,
  ...rest,
});

/** The contenders. Only `logging` logs requests. */
export const contenders = {
  sqlite: petStore("Pet Store", ({ file }) => `sqlite:${file}`),
  // As in a container: without a compile cache.
  bundle: petStore("Pet Store, bundled", ({ file }) => `sqlite:${file}`, {
    program: ["dist/server.js"],
    workloads: ["get"],
  }),
  logging: petStore("Pet Store, logging each request", ({ file }) => `sqlite:${file}`, { logLevel: "info" }),
  postgres: petStore("Pet Store on PostgreSQL", ({ postgres }) => postgres),
  prebuilt: framework("node:http, prebuilt bytes", "contenders/prebuilt.ts", reads),
  fastify: framework("Fastify by hand, no checks", "contenders/fastify.ts", [
    ...reads,
    ...creates,
    "get1",
    "getAfterSilence",
  ]),
  features: framework("Fastify by hand, same features", "contenders/fastify-features.ts", [...all, "get1"]),
  fastifyPostgres: framework("Fastify and pg by hand, no checks", "contenders/fastify-postgres.ts", ["get1", "list20"]),
  glue: framework("fastify-openapi-glue", "contenders/glue.ts"),
  hono: framework("Hono zod-openapi", "contenders/hono-zod-openapi.ts"),
  nest: framework("NestJS on Fastify", "build/contenders/nest.js"),
} satisfies Record<string, Contender>;

/** The id of a contender, for options of the command line. */
export type ContenderId = keyof typeof contenders;
