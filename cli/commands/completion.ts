// `trilane completion SHELL`: prints the shell's completion script. Installs nothing.
import { UserError } from "../base/errors.ts";
import type { Command, CommonOptions } from "./command.ts";
import { completionScript, type Shell, shells } from "./completion_scripts.ts";
import { declarationOf } from "./declared.ts";

export const command: Command<CommonOptions & { shell: string }> = {
  usage: "completion <shell>",
  summary: "Print the completion script for bash, zsh or fish",
  define: (yargs) =>
    yargs
      .positional("shell", { type: "string", demandOption: true, describe: Object.keys(shells).join(", ") })
      .example("trilane completion bash > ~/.local/share/bash-completion/completions/trilane", "needs bash-completion")
      .example("trilane completion zsh > ~/.zfunc/_trilane", "with ~/.zfunc in fpath, before compinit")
      .example("trilane completion fish > ~/.config/fish/completions/trilane.fish", "for fish"),
  run: async ({ shell, json }) => {
    if (json) throw new UserError("completion: prints a shell script: leave --json out");
    if (!(shell in shells))
      throw new UserError(`completion: <shell> must be bash, zsh or fish (got ${JSON.stringify(shell)})`);
    // Only here, as all commands import this one.
    const { allCommands } = await import("./all.ts");
    process.stdout.write(completionScript(shell as Shell, allCommands.map(declarationOf)));
  },
};
