// `trilane steer`: changes a running link through its control socket.
import { LinkControl } from "../control/client.ts";
import type { Command, CommonOptions } from "./command.ts";

interface SteerOptions extends CommonOptions {
  socket: string;
  link: string;
}

export const command: Command<SteerOptions> = {
  usage: "steer <socket> <link>",
  summary: "Change a running link",
  define: (yargs) =>
    yargs
      .usage("trilane steer SOCKET LINK")
      .positional("socket", { type: "string", demandOption: true, describe: "the lab's control socket" })
      .positional("link", { type: "string", demandOption: true, describe: "what changes, as down=1mbit,loss=2%" })
      .example("trilane steer /tmp/lab down=1mbit,loss=2%", "the rest stays as it is"),
  run: async (options) => {
    const control = await LinkControl.connect(options.socket);
    try {
      const answer = await control.steer(options.link);
      process.stdout.write(`${options.json ? JSON.stringify(answer) : answer.link}\n`);
    } finally {
      control.close();
    }
  },
};
