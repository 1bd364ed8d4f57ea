// From a request to who is calling: bearer key -> SHA-256 -> KeyStore -> caller.
//
// A key is 256 random bits, so its hash needs no salt and no slow function, and to look it up by
// the hash gives nothing away by its timing. The store is asked each time: a revocation holds at once.
import { createHash, randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Caller } from "./contract.ts";
import { Refusal } from "./errors.ts";
import type { Operation } from "./operation.ts";
import type { KeyStore } from "./store/store.ts";

/** Tells who is calling by the Authorization header; undefined where the operation asks for no credential. Throws a Refusal. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

/** One security scheme: the caller, or why there is none. */
type Scheme = (authorization: string | undefined) => Promise<Caller | Refusal>;

/** The name of the request's decorator that holds who is calling. */
export const callerDecorator = "caller";

/** Notes that a key was used. */
export type Used = (caller: Caller) => unknown;

const flushEvery = 1_000; // milliseconds

/** Notes when keys are used, and writes it in batches: a request waits for no write. */
export function recordUses(app: FastifyInstance, keys: KeyStore): Used {
  let uses = new Map<bigint, Date>();
  const flush = async () => {
    if (uses.size === 0) return;
    const batch = uses;
    uses = new Map();
    await keys.touch(batch).catch((error) => app.log.warn({ err: error }, "the last use of keys was not noted"));
  };
  const timer = setInterval(flush, flushEvery).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await flush();
  });
  return ({ id }) => uses.set(id, new Date());
}

/** A new key, and what the store keeps of it. */
export function makeKey(): { key: string; hash: Uint8Array } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hash(key) };
}

/**
 * Makes what each operation asks before all else. Throws an Error that names the operation where a
 * scheme that the document demands of it is none of ours.
 */
export function buildAuthentication(keys: KeyStore, used: Used): (operation: Operation) => Authenticate {
  const schemes: Record<string, Scheme> = { "http bearer": buildBearer(keys, used) };
  return ({ id, security }) => {
    const missing = security.flat().find((type) => schemes[type] === undefined);
    if (missing)
      throw new Error(`The operation ${id} needs a security scheme of type ${missing}, which has no implementation.`);
    return async (authorization) => {
      let refusal: Refusal | undefined;
      for (const alternative of security) {
        let caller: Caller | Refusal | undefined;
        for (const type of alternative) {
          caller = await schemes[type]?.(authorization);
          if (caller instanceof Refusal) break;
        }
        if (!(caller instanceof Refusal)) return caller;
        refusal ??= caller;
      }
      if (refusal) throw refusal;
      return undefined;
    };
  };
}

// RFC 6750: the scheme's name in any case, and an error code only where a bearer key was sent.
function buildBearer(keys: KeyStore, used: Used): Scheme {
  const challenge = 'Bearer realm="petstore"';
  const how = "send it as Authorization: Bearer <API_KEY>";
  return async (authorization) => {
    const key = /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
    if (key === undefined)
      return new Refusal("unauthorized", `This call needs an API key: ${how}.`, { "www-authenticate": challenge });
    const found = await keys.find(hash(key));
    if (found !== undefined && (found.expiresAt === undefined || found.expiresAt.getTime() > Date.now())) {
      used(found);
      return found;
    }
    const why = found ? "has expired" : "is not valid";
    return new Refusal("unauthorized", `The API key ${why}: make a new one, and ${how}.`, {
      "www-authenticate": `${challenge}, error="invalid_token", error_description="The API key ${why}"`,
    });
  };
}

function hash(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}
