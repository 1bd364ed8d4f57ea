// Compares the document with its last release, or releases it.
// usage: node scripts/contract.ts diff|release
import { type Context, diff, release } from "./contract/gate.ts";

const commands: Record<string, (context: Context) => Promise<void>> = { diff, release };
const command = commands[process.argv[2] ?? ""];
try {
  if (command === undefined) throw new Error("usage: node scripts/contract.ts diff|release");
  const today = new Date().toISOString().slice(0, 10);
  await command({ folder: new URL("../openapi/", import.meta.url), today, print: console.log });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = command ? 1 : 2;
}
