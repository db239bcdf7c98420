// Completion for bash, zsh and fish, written from what commands declare. Pure. Options' values are completed where they are a
// choice; otherwise the shell completes file names. Recordings are not: that would start a program at each key.

import { type Declared, placeholderOf } from "../base/option.ts";
import type { Declaration } from "./declared.ts";
import { plainOptions } from "./words.ts";

/** A command or action as the words lead to it: `/recording/show`; empty for the program itself. */
interface Place {
  readonly path: string;
  readonly next: readonly Declaration[];
  readonly options: readonly (readonly [name: string, declared: Declared])[];
}

function placesOf(commands: readonly Declaration[]): Place[] {
  const common = Object.entries(plainOptions);
  const placeOf = (command: Declaration): Place[] => {
    const options = [...command.options].filter(([, { hidden }]) => !hidden);
    const path = `/${command.name.replaceAll(" ", "/")}`;
    return [{ path, next: command.actions, options: [...options, ...common] }, ...command.actions.flatMap(placeOf)];
  };
  return [{ path: "", next: commands, options: common }, ...commands.flatMap(placeOf)];
}

const lastWord = ({ name }: Declaration): string => name.split(" ").at(-1) ?? name;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const pathsOf = (places: readonly Place[]): string =>
  places
    .filter(({ path }) => path !== "")
    .map(({ path }) => path)
    .join("|");

/** Lines of a `case` over path and option, for each option that has choices. */
function choiceCases(places: readonly Place[], put: (choices: string) => string): string[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(([name, { choices }]) =>
      choices ? [`    ${quoted(`${path} --${name}`)}) ${put(choices.join(" "))} ;;`] : [],
    ),
  );
}

/** Options that take a value, after which no option and no action is completed. */
function valueCases(places: readonly Place[], then: string): string[] {
  return places.flatMap(({ path, options }) => {
    const names = options.filter(([name, { choices, ...rest }]) => !choices && placeholderOf(name, rest) !== null);
    return names.length === 0
      ? []
      : [`    ${names.map(([name]) => quoted(`${path} --${name}`)).join("|")}) ${then} ;;`];
  });
}

function bash(places: readonly Place[]): string {
  const words = places.map(({ path, next, options }) => {
    const names = options.map(([name]) => `--${name}`).join(" ");
    return `    ${quoted(path)}) next=${quoted(next.map(lastWord).join(" "))} options=${quoted(names)} ;;`;
  });
  return `# bash completion for trilane, made by \`trilane completion bash\`
_trilane() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= next= options= i
  # bash makes three words of --option=value.
  [ "$word" != "=" ] || word=
  [ "$previous" != "=" ] || previous=\${COMP_WORDS[COMP_CWORD-2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" != -- ] || return 0
    case $path/\${COMP_WORDS[i]} in
      ${pathsOf(places)}) path=$path/\${COMP_WORDS[i]} ;;
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${choiceCases(places, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices)} -- "$word")); return 0`).join("\n")}
${valueCases(places, "return 0").join("\n")}
  esac
  case $path in
${words.join("\n")}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) [ -z "$next" ] || COMPREPLY=($(compgen -W "$next" -- "$word")) ;;
  esac
}
complete -o default -F _trilane trilane
`;
}

/** \`name:meaning\` for _describe. */
const described = (name: string, meaning = ""): string => quoted(`${name.replaceAll(":", "\\:")}:${meaning}`);

function zsh(places: readonly Place[]): string {
  const words = places.map(({ path, next, options }) => {
    const actions = next.map((each) => described(lastWord(each), each.summary));
    const names = options.map(([name, { describe }]) => described(`--${name}`, describe));
    return `    ${quoted(path)}) next=(${actions.join(" ")}) options=(${names.join(" ")}) ;;`;
  });
  return `#compdef trilane
# zsh completion for trilane, made by \`trilane completion zsh\`
_trilane() {
  # Not called path, which is PATH in zsh.
  local at= i
  local -a next options
  for ((i = 2; i < CURRENT; i++)); do
    [[ $words[i] != -- ]] || { _files; return }
    case $at/$words[i] in
      ${pathsOf(places)}) at=$at/$words[i] ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${choiceCases(places, (choices) => `compadd -- ${choices}; return`).join("\n")}
${valueCases(places, "_files; return").join("\n")}
  esac
  case $at in
${words.join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
  elif (( $#next )); then
    _describe command next
  else
    _files
  fi
}
if [[ $funcstack[1] == _trilane ]]; then _trilane "$@"; else compdef _trilane trilane; fi
`;
}

/** fish takes single quotes with \\ and ' escaped. */
const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, next, options }) => {
    const here = `complete -c trilane -n ${fishQuoted(`__trilane_at "${path}"`)}`;
    return [
      ...next.map((each) => `${here} -f -a ${lastWord(each)} -d ${fishQuoted(each.summary)}`),
      ...options.map(([name, declared]) => {
        const { describe = "", choices } = declared;
        const value = choices ? ` -x -a ${fishQuoted(choices.join(" "))}` : placeholderOf(name, declared) ? " -r" : "";
        return `${here} -l ${name}${value} -d ${fishQuoted(describe)}`;
      }),
    ];
  });
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => path);
  return `# fish completion for trilane, made by \`trilane completion fish\`
function __trilane_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    contains -- "$at/$word" ${paths.join(" ")}; and set at "$at/$word"
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

export const shells = { bash, zsh, fish } as const;
export type Shell = keyof typeof shells;

/** What the shell is to read, once. */
export function completionScript(shell: Shell, commands: readonly Declaration[]): string {
  return shells[shell](placesOf(commands));
}
