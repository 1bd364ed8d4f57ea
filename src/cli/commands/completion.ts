// petstore completion: a script for the shell, made from the commands themselves. It knows all by
// itself: a shell that had to start the command at each press of Tab would wait for it.
import { Argument, type Command, type Help } from "commander";
import { type Io, print } from "../io.ts";
import { addExamples } from "./help.ts";

/** What may come next at some place. */
interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** A command, by its words, and what may follow it: commands and options, and after an option its values. */
interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  readonly values: readonly { readonly option: string; readonly words: readonly Word[] }[];
}

const shells = { bash: toBash, zsh: toZsh, fish: toFish };

/** Adds `petstore completion`. */
export function addCompletion(program: Command, io: Io): void {
  const completion = program
    .command("completion")
    .description("print what makes a shell complete this command's words")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(shells)))
    .action((shell: keyof typeof shells) => print(io, shells[shell](toPlaces(program, program.createHelp()))));
  addExamples(completion, ["source <(petstore completion bash)", "in ~/.bashrc"]);
}

function toPlaces(command: Command, help: Help, path = ""): Place[] {
  const options = help.visibleOptions(command).filter(({ long }) => long);
  const commands = help.visibleCommands(command);
  const place = {
    path,
    words: [
      ...commands.map((one) => ({ word: one.name(), meaning: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices }) => toWords(argChoices)),
      ...options.map((one) => ({ word: one.long as string, meaning: one.description })),
    ],
    values: options.flatMap(({ long, required, argChoices }) =>
      required ? { option: long as string, words: toWords(argChoices) } : [],
    ),
  };
  const others = commands.filter((one) => one.name() !== "help"); // after help comes what may come without it
  return [place, ...others.flatMap((one) => toPlaces(one, help, `${path} ${one.name()}`.trim()))];
}

function toWords(choices: readonly string[] = []): Word[] {
  return choices.map((word) => ({ word, meaning: "" }));
}

// In single quotes nothing means anything to a shell but the quote itself.
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// In $place the command that the words before the cursor name.
function findPlace(places: readonly Place[], words: string): string {
  const cases = places.slice(1).map(({ path }) => `      ${quote(path)}) place=${quote(path)} ;;`);
  return `  local place='' word
  for word in ${words}; do
    case "\${place:+$place }$word" in
${cases.join("\n")}
    esac
  done`;
}

// For each place, and for each option that has values, what may come next. The longer path comes first.
function chooseNext(places: readonly Place[], toList: (words: readonly Word[]) => string): string {
  const values = places.flatMap(({ path, values }) =>
    values.map(({ option, words }) => ({ after: quote(`${path} ${option}`), words })),
  );
  const all = places.map(({ path, words }) => ({ after: `${quote(`${path} `)}*`, words })).reverse();
  return [...values, ...all].map(({ after, words }) => `    ${after}) next=${toList(words)} ;;`).join("\n");
}

function toBash(places: readonly Place[]): string {
  return `_petstore() {
${findPlace(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local next=''
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${chooseNext(places, (words) => quote(words.map(({ word }) => word).join(" ")))}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _petstore petstore`;
}

function toZsh(places: readonly Place[]): string {
  const toItem = ({ word, meaning }: Word) => quote(`${word}:${meaning}`);
  return `#compdef petstore
_petstore() {
${findPlace(places, `"\${(@)words[2,CURRENT-1]}"`)}
  local -a next
  case "$place \${words[CURRENT-1]}" in
${chooseNext(places, (words) => `(${words.map(toItem).join(" ")})`)}
  esac
  _describe petstore next || _files
}
compdef _petstore petstore`;
}

function toFish(places: readonly Place[]): string {
  const cases = places.slice(1).map(({ path }) => `      case ${quote(path)}\n        set place ${quote(path)}`);
  const lines = places.flatMap(({ path, words, values }) =>
    words.map(({ word, meaning }) => {
      const value = values.find(({ option }) => option === word);
      const choices = value?.words.map(({ word }) => word).join(" ");
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c petstore -n ${quote(`test "$(__petstore_place)" = "${path}"`)} ${what}${choices ? ` -x -a ${quote(choices)}` : value ? " -r" : ""} -d ${quote(meaning)}`;
    }),
  );
  return `function __petstore_place
  set -l place
  for word in (commandline -opc)[2..]
    switch (string trim "$place $word")
${cases.join("\n")}
    end
  end
  echo $place
end
${lines.join("\n")}`;
}
