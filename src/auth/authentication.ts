// From a request to who is calling: bearer key -> SHA-256 -> KeyStore -> caller.
//
// A key is 256 random bits, so its hash needs no salt and no slow function, and to look it up by
// the hash gives nothing away by its timing. The store is asked each time, and remembers only what is exact: a revocation holds at once.
import { hash, randomBytes } from "node:crypto";
import { HttpError, type RateLimiter, toNetwork } from "../http/index.ts";
import type { Caller, Operation } from "../spec/index.ts";
import type { KeyStore } from "../store/index.ts";
import type { KeyUsage } from "./key-usage.ts";

/** What a request shows of who is calling: its Authorization header, the connection that it came by, and from where. */
export interface Credential {
  readonly authorization: string | undefined;
  readonly connection: object;
  readonly address: () => string;
}

/** Tells who is calling; undefined where the operation asks for no credential. Throws a Refusal. */
export type Authenticate = (credential: Credential) => Promise<Caller | undefined>;

/** One security scheme: the caller, or why there is none. */
type Scheme = (credential: Credential) => Promise<Caller | HttpError>;

/** What an answer asks for that refuses who is calling (RFC 6750, section 3). */
export const challenge = 'Bearer realm="petstore"';

/** The name of the request's decorator that holds who is calling. */
export const callerDecorator = "caller";

/** A new key, and what the store keeps of it. */
export function generateKey(): { key: string; hash: string } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: digest(key) };
}

/**
 * Makes what each operation asks before all else. Who comes with wrong keys uses up `failures`, by
 * address, and then is refused without a look at the key. Throws an Error that names the operation where a
 * scheme that the document demands of it is none of ours.
 */
export function createAuthentication(
  keys: KeyStore,
  { recordUse: used }: KeyUsage,
  failures: RateLimiter,
): (operation: Pick<Operation, "id" | "security">) => Authenticate {
  const schemes: Record<string, Scheme> = { "http bearer": buildBearer(keys, used, failures) };
  return ({ id, security }) => {
    const missing = security.flat().find((type) => schemes[type] === undefined);
    if (missing)
      throw new Error(`The operation ${id} needs a security scheme of type ${missing}, which has no implementation.`);
    const alternatives = security.map((types) => types.map((type) => schemes[type] as Scheme));
    return async (credential) => {
      let refusal: HttpError | undefined;
      for (const alternative of alternatives) {
        let caller: Caller | HttpError | undefined;
        for (const scheme of alternative) {
          caller = await scheme(credential);
          if (caller instanceof HttpError) break;
        }
        if (!(caller instanceof HttpError)) return caller;
        refusal ??= caller;
      }
      if (refusal) throw refusal;
      return undefined;
    };
  };
}

// RFC 6750: the scheme's name in any case, and an error code only where a bearer key was sent.
function buildBearer(keys: KeyStore, used: KeyUsage["recordUse"], failures: RateLimiter): Scheme {
  const how = "send it as Authorization: Bearer <API_KEY>";
  // A connection shows the same key time and again, and the hash is dear. `good`: it was valid last time.
  const shown = new WeakMap<object, { authorization: string; hash: string; good: boolean }>();
  const look = ({ authorization, connection }: Credential) => {
    const last = shown.get(connection);
    if (last !== undefined && last.authorization === authorization) return last;
    const key = /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
    if (authorization === undefined || key === undefined) return undefined;
    const first = { authorization, hash: digest(key), good: false };
    shown.set(connection, first);
    return first;
  };
  return async (credential) => {
    const sent = look(credential);
    if (sent === undefined)
      return new HttpError("unauthorized", `This call needs an API key: ${how}.`, { "www-authenticate": challenge });
    // Not who was let in before: of many behind one address, one that errs must not shut out the others.
    const network = () => toNetwork(credential.address());
    const refusal = sent.good ? undefined : failures.exhausted(network);
    if (refusal) return refusal;
    const found = await keys.find(sent.hash);
    sent.good = found !== undefined && (found.expiresAt === undefined || found.expiresAt.getTime() > Date.now());
    if (found && sent.good) {
      used(found);
      return found;
    }
    const { headers, refusal: over } = failures.take(network());
    if (over) return over; // of many that came at once
    const why = found ? "has expired" : "is not valid";
    return new HttpError("unauthorized", `The API key ${why}: make a new one, and ${how}.`, {
      ...headers,
      "www-authenticate": `${challenge}, error="invalid_token", error_description="The API key ${why}"`,
    });
  };
}

function digest(key: string): string {
  return hash("sha256", key, "hex");
}
