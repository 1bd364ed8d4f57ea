// An attacker, a separate process: starts the attack of a message, sends what it did after some time, and ends.
import { setPriority } from "node:os";
import { attacks } from "./attacks.ts";
import { counts, type Target } from "./sockets.ts";

/** The work of an attacker. */
export interface AttackOptions {
  /** The name of the attack. */
  readonly name: string;
  /** The number of this process. */
  readonly index: number;
  readonly target: Target;
  readonly seconds: number;
}

// The legitimate client runs on the same core. At a low priority, the attackers take only the time that it does not
// need, so that a slow response is due to the service, and not to the core of the client.
setPriority(10);

process.once("message", ({ name, index, target, seconds }: AttackOptions) => {
  attacks[name]?.start(target, index);
  setTimeout(() => process.send?.(counts, undefined, undefined, () => process.exit()), seconds * 1_000);
});
process.once("disconnect", () => process.exit());
