// What an answer must be for petstore status to show it: who else listens there may say anything.
import { Ajv, type JTDSchemaType } from "ajv/dist/jtd.js";
import type { Status } from "./web/words.js";

const string = { type: "string" } as const;
const number = { type: "float64" } as const;
const numbers = { elements: number } as const;
const times = { elements: { type: "float64", nullable: true } } as const;
const open = { additionalProperties: true } as const; // a newer service may say more

// RFC 8927. The compiler holds it to the type.
const shape: JTDSchemaType<Status> = {
  properties: {
    at: { type: "timestamp" },
    service: {
      properties: {
        version: string,
        contract: string,
        started: { type: "timestamp" },
        workers: number,
        store: string,
        reachable: { type: "boolean" },
      },
      ...open,
    },
    step: number,
    times: numbers,
    operations: {
      elements: {
        properties: {
          id: string,
          method: string,
          path: string,
          now: {
            properties: {
              rate: number,
              failed: number,
              p50: { type: "float64", nullable: true },
              p99: { type: "float64", nullable: true },
            },
            ...open,
          },
          rate: numbers,
          p50: times,
          p99: times,
        },
        ...open,
      },
    },
    refused: numbers,
    failed: numbers,
    store: {
      properties: {
        p50: times,
        p99: times,
        pool: { properties: { used: number, waiting: number, size: number }, ...open, nullable: true },
      },
      ...open,
    },
    process: { properties: { memory: numbers, delay: numbers, inFlight: numbers }, ...open },
    keys: { elements: { properties: { name: string, calls: number, rate: number }, ...open } },
    deprecated: {
      elements: {
        properties: {
          operation: string,
          sunset: { type: "string", nullable: true },
          daysLeft: { type: "float64", nullable: true },
          successor: { type: "string", nullable: true },
          calls: number,
          keys: { elements: { properties: { name: string, calls: number, last: string }, ...open } },
        },
        ...open,
      },
      nullable: true,
    },
  },
  ...open,
};

/** Whether it is what /status.json says: whatever is shown of it is there, and is what it should be. */
export function isStatus(said: unknown): said is Status {
  // That the shape is a schema the compiler knows; Ajv would take 0.3 seconds to see it again.
  return new Ajv({ timestamp: "string", meta: false, validateSchema: false }).validate(shape, said);
}
