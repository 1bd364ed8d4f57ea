// Rejects settings of a test that have no effect. Without this check, a test could pass without testing anything.
import { type Config, readConfig, settings } from "../../src/config.ts";

/** Settings of a test, as environment variables. */
export type Settings = { readonly [Name in keyof Config]?: string };

/** Throws an Error if a name is not a setting of the service, and does not match `others`. */
export function assertKnown(values: object, others = /^$/): void {
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(settings, name) && !others.test(name));
  if (unknown.length > 0) throw new Error(`there are no such settings: ${unknown.join(", ")}`);
}

/**
 * Parses settings, and `defaults` for those that are missing. Also returns a function that throws an Error if a setting
 * of `values` has not been read from the config.
 */
export function readTrackedConfig(
  values: Settings,
  defaults: Settings,
): { readonly config: Config; readonly assertRead: () => void } {
  assertKnown(values);
  const read = new Set<string | symbol>();
  const config = new Proxy(readConfig({ ...defaults, ...values }), {
    get(target, name: keyof Config) {
      read.add(name);
      return target[name];
    },
  });
  const assertRead = () => {
    const unread = Object.keys(values).filter((name) => !read.has(name));
    if (unread.length > 0) throw new Error(`these settings have no effect here: ${unread.join(", ")}`);
  };
  return { config, assertRead };
}
