// The module of handlers with which `openapi-server generate --handlers` lets an application begin.
import type { Operation } from "../../openapi/index.ts";

/**
 * Returns the source text of a module with a stub for each operation, which responds with 501. `typesFrom` is the module with the types
 * of the operations, as the import names it; undefined for JavaScript.
 */
export function generateStubs(operations: readonly Operation[], typesFrom: string | undefined): string {
  const stubs = operations.map(({ id, method, path, part }) => {
    const { summary } = part.value;
    const title = `${method} ${path}${summary ? `: ${summary}` : ""}`.replaceAll(/\s+/g, " "); // a line
    const name = /^[A-Za-z_$][\w$]*$/.test(id) ? id : JSON.stringify(id);
    return `  // ${title}\n  ${name}: async (call) => notImplemented(call.operationId),`;
  });
  const isTyped = typesFrom !== undefined;
  return [
    `import { ${isTyped ? "type Handlers, " : ""}notImplemented } from "@petstore/openapi-server";`,
    ...(isTyped ? [`import type { operations } from ${JSON.stringify(typesFrom)};`] : []),
    "\nexport const handlers = {",
    ...stubs,
    `}${isTyped ? " satisfies Partial<Handlers<operations>>" : ""};\n`,
  ].join("\n");
}
