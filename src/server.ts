// `node src/server.ts`, as in a container or a systemd unit, runs the Pet Store without npm and the command line.
import { escapeControlCharacters } from "./lib/index.ts";
import { petStore } from "./pets/index.ts";
import { runPreset } from "./server/index.ts";

await runPreset(petStore, { env: process.env }).catch(({ message }: Error) => {
  console.error(`${petStore.name}: ${escapeControlCharacters(message.split("\n", 1)[0] as string)}`);
  process.exit(1);
});
