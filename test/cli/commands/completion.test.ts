// petstore completion: scripts that complete the words of the command line. test/system runs them in the shells.
import t from "tap";
import { petstore } from "../../support/command.ts";

const shells = ["bash", "zsh", "fish"];

/** Returns the words that may follow a command, or an option if `after` ends with its name, as the script has them. */
async function readWords(after: string, ...args: string[]): Promise<string[] | undefined> {
  const { stdout } = await petstore({}, ["completion", ...args]);
  const lines = stdout.split("\n").map((line) => /^ +'(.*)'(\*?)\) next='(.*)' ;;$/.exec(line));
  return lines.find((found) => found?.[1] === after)?.[3]?.split(" ");
}

t.test("The script for bash has the words that may follow each command", async (t) => {
  for (const [command, words] of Object.entries({
    "keys ": "create list rotate revoke help --help",
    "keys create ": "--expires --operator --yes --json --help",
    "completion ": "bash zsh fish --help",
    "export --format": "ndjson csv",
  }))
    t.same(await readWords(command, "bash"), words.split(" "), command);
  const first = (await readWords(" ", "bash"))?.join(" ");
  t.match(first, /^serve .*keys .*completion help --version --environment-file --help$/);
});

t.test("The script of each shell has the commands, options and values", async (t) => {
  for (const shell of shells) {
    const { status, stdout, stderr } = await petstore({}, ["completion", shell]);
    t.match({ status, stderr }, { status: 0, stderr: "" });
    for (const word of ["serve", "keys", "revoke", "expires", "bash"]) t.match(stdout, word, `${shell}: ${word}`);
  }
});

t.test("Rejects an unknown shell", async (t) => {
  t.match(await petstore({}, ["completion", "csh"]), {
    status: 2,
    stdout: "",
    stderr: new RegExp(`Allowed choices are ${shells.join(", ")}`),
  });
});
