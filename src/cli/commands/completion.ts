// petstore completion: prints completion scripts for shells, generated from the commands. A script contains all words,
// since starting the command at each press of Tab would be slow.
import type { Command, Help } from "commander";
import { type Io, print } from "../../terminal/index.ts";

/** A word that completes the command line. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** The candidates after a command: its subcommands, argument choices and options, and the choices of each option. */
interface Completions {
  /** The words of the command after `petstore`. */
  readonly path: string;
  readonly candidates: readonly Candidate[];
  readonly options: readonly { readonly option: string; readonly candidates: readonly Candidate[] }[];
}

const formatters = { bash: toBash, zsh: toZsh, fish: toFish };

export type Shell = keyof typeof formatters;

/** Prints the completion script of a shell. */
export async function printCompletion(io: Io, program: Command, shell: Shell): Promise<void> {
  await print(io, formatters[shell](listCompletions(program, program.createHelp())));
}

// The program first, then each command before its subcommands.
function listCompletions(command: Command, help: Help, path = ""): Completions[] {
  const options = help.visibleOptions(command).filter(({ long }) => long);
  const commands = help.visibleCommands(command);
  const completions = {
    path,
    candidates: [
      ...commands.map((one) => ({ word: one.name(), description: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices }) => toCandidates(argChoices)),
      ...options.map((one) => ({ word: one.long as string, description: one.description })),
    ],
    options: options.flatMap(({ long, required, argChoices }) =>
      required ? { option: long as string, candidates: toCandidates(argChoices) } : [],
    ),
  };
  const others = commands.filter((one) => one.name() !== "help"); // `petstore help keys` completes like `petstore keys`
  return [completions, ...others.flatMap((one) => listCompletions(one, help, `${path} ${one.name()}`.trim()))];
}

function toCandidates(choices: readonly string[] = []): Candidate[] {
  return choices.map((word) => ({ word, description: "" }));
}

// In single quotes, the quote is the only special character.
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Shell code that sets $command_path to the path of the command before the cursor.
function findCommand(all: readonly Completions[], words: string): string {
  const cases = all.slice(1).map(({ path }) => `      ${quote(path)}) command_path=${quote(path)} ;;`);
  return `  local command_path='' word
  for word in ${words}; do
    case "\${command_path:+$command_path }$word" in
${cases.join("\n")}
    esac
  done`;
}

// The cases that set $next to the candidates after an option or a command. The first match wins, so options come before
// commands, and subcommands before their parents.
function formatCases(all: readonly Completions[], toList: (candidates: readonly Candidate[]) => string): string {
  const afterOptions = all.flatMap(({ path, options }) =>
    options.map(({ option, candidates }) => ({ pattern: quote(`${path} ${option}`), candidates })),
  );
  const afterCommands = all.map(({ path, candidates }) => ({ pattern: `${quote(`${path} `)}*`, candidates })).reverse();
  return [...afterOptions, ...afterCommands]
    .map(({ pattern, candidates }) => `    ${pattern}) next=${toList(candidates)} ;;`)
    .join("\n");
}

function toBash(all: readonly Completions[]): string {
  return `_petstore() {
${findCommand(all, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local next=''
  case "$command_path \${COMP_WORDS[COMP_CWORD-1]}" in
${formatCases(all, (candidates) => quote(candidates.map(({ word }) => word).join(" ")))}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _petstore petstore`;
}

function toZsh(all: readonly Completions[]): string {
  const toItem = ({ word, description }: Candidate) => quote(`${word}:${description}`);
  return `#compdef petstore
_petstore() {
${findCommand(all, `"\${(@)words[2,CURRENT-1]}"`)}
  local -a next
  case "$command_path \${words[CURRENT-1]}" in
${formatCases(all, (candidates) => `(${candidates.map(toItem).join(" ")})`)}
  esac
  _describe petstore next || _files
}
compdef _petstore petstore`;
}

function toFish(all: readonly Completions[]): string {
  const cases = all.slice(1).map(({ path }) => `      case ${quote(path)}\n        set command_path ${quote(path)}`);
  const lines = all.flatMap(({ path, candidates, options }) =>
    candidates.map(({ word, description }) => {
      const option = options.find(({ option }) => option === word);
      const choices = option?.candidates.map(({ word }) => word).join(" ");
      const values = choices ? ` -x -a ${quote(choices)}` : option ? " -r" : "";
      const completed = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      const condition = quote(`test "$(__petstore_command_path)" = "${path}"`);
      return `complete -c petstore -n ${condition} ${completed}${values} -d ${quote(description)}`;
    }),
  );
  return `function __petstore_command_path
  set -l command_path
  for word in (commandline -opc)[2..]
    switch (string trim "$command_path $word")
${cases.join("\n")}
    end
  end
  echo $command_path
end
${lines.join("\n")}`;
}
