// `trilane completion SHELL`: prints the shell's completion script. Installs nothing.
import type { Completion } from "../../schemas/generated/completion.ts";
import { UserError } from "../base/errors.ts";
import { printJson } from "../base/terminal_text.ts";
import { declaredCommands } from "./all.ts";
import type { Command, CommonOptions } from "./command.ts";
import { completionScript, type Shell, shells } from "./completion_scripts.ts";

const isShell = (name: string): name is Shell => Object.hasOwn(shells, name);

export const command: Command<CommonOptions & { shell: string }> = {
  usage: "completion <shell>",
  summary: "Print the completion script for bash, zsh or fish",
  define: (table) =>
    table
      .positional("shell", { demandOption: true, describe: Object.keys(shells).join(", ") })
      .example("trilane completion bash > ~/.local/share/bash-completion/completions/trilane", "needs bash-completion")
      .example("trilane completion zsh > ~/.zfunc/_trilane", "with ~/.zfunc in fpath, before compinit")
      .example("trilane completion fish > ~/.config/fish/completions/trilane.fish", "for fish"),
  run: async ({ shell, json }) => {
    if (!isShell(shell))
      throw new UserError(`completion: <shell> must be bash, zsh or fish (got ${JSON.stringify(shell)})`);
    const script = completionScript(shell, await declaredCommands());
    if (json) printJson({ schema: "trilane/completion/1", shell, script } satisfies Completion);
    else process.stdout.write(script);
  },
};
