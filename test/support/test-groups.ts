// The tests that share a process. All other fast tests have processes of their own, as those of http/load, which measure the
// event loop and the memory.
import { globSync } from "node:fs";
import { root } from "./files.ts";

const top = "{agreement,app,architecture,client,client-options,interface,model,settings}";

// Patterns below test/, by the name of the file in test/groups that imports the tests. No group needs half of the time.
const groups = {
  command: ["command/*", "diff/*"],
  document: ["openapi/{document,operation,source}/*"],
  agents: ["mcp/*"],
  http: ["operate/{keys,limits}/*", "http/*", "http/{connection,failure,headers,message}/*"],
  mock: ["openapi/{client,mock,types}/*"],
  resources: ["resources/*"],
  server: ["openapi/*", "openapi/routing/*", "server/*"],
  service: [top, "pets/*", "support/**/*"],
  telemetry: ["operate/*", "operate/telemetry/*"],
  values: ["lib/*", "openapi/{schema,wire}/*"],
} as const satisfies Record<string, readonly string[]>;

/** The name of a group. */
export type Group = keyof typeof groups;

/** Returns the test files of a group, as paths from the root of the project. */
export function listTests(group: Group): string[] {
  return globSync(
    groups[group].map((pattern) => `test/${pattern}.test.ts`),
    { cwd: root },
  ).sort();
}

/** The test files of all groups. */
export const groupedTests = (Object.keys(groups) as Group[]).flatMap(listTests);
