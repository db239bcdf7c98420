// `trilane trace info|synth|convert`: finds the action. What each does stands in trace_info.ts, trace_synth.ts and
// trace_convert.ts.
import { type Command, nameAnAction } from "./command.ts";
import { command as convert } from "./trace_convert.ts";
import { command as info } from "./trace_info.ts";
import { command as synth } from "./trace_synth.ts";

export const command: Command = {
  usage: "trace",
  summary: "Describe, make and convert traces of a changing rate",
  actions: [info, synth, convert],
  define: (table) =>
    table
      .example("trilane trace info Verizon.down", "mean, percentiles, outages, and the rate drawn")
      .example("trilane trace synth verizon-lte --out lte", "lte.down and lte.up")
      .example("trilane race my-page --link trace_down=lte.down,trace_up=lte.up,rtt=60ms", "a race over them"),
  run: nameAnAction("trace", "info, synth or convert"),
};
