// Parses the Link header (RFC 8288, section 3): `<target>; rel="next"; title="…", <target>; …`.

// Sticky: a match begins where the previous one has ended, so that the time is linear.
const link = /[\s,]*<([^>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/gy;
const parameter = /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))/g;

/** Returns the unresolved target of the first link with the relation; undefined if there is none. */
export function findLink(relation: string, headers: Headers): string | undefined {
  for (const [, target, parameters = ""] of (headers.get("link") ?? "").matchAll(link)) {
    const [rel] = [...parameters.matchAll(parameter)].filter(([, name]) => name?.toLowerCase() === "rel");
    const relations = (rel?.[2] ?? rel?.[3] ?? "").toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target;
  }
  return undefined;
}
