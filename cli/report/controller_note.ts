// What of h3's gain over h2 is its controller, for the report's first screen: which lanes a plan has for that, and what their loads say.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { SweepPlan } from "../../schemas/generated/sweep_plan.ts";
import type { LaneLabel } from "../base/lanes.ts";
import { laneServing } from "../load/serving/lane_serving.ts";
import { controllerLanes, controllerSentences, type LaneControllers } from "../results/verdict/controller_part.ts";
import type { Sample } from "../results/verdict/sample.ts";

type ServedPlan = Pick<SweepPlan, "lanes" | "serving" | "settings">;

function controllersOf(plan: ServedPlan, label: LaneLabel): LaneControllers {
  const serving = laneServing(plan, label);
  const { tcp, quic } = serving.transport;
  const { congestion_control, ...quicOthers } = quic;
  // What the settings were made from says nothing that they do not.
  const others = { ...serving, transport: { tcp, quic: quicOthers } };
  return { tcp: tcp.congestion_control, quic: congestion_control, others: JSON.stringify(others) };
}

/** Null where the plan has not both controllers of h3 beside h2, or no page has loads of all. */
export function controllerNote(plan: ServedPlan, samples: readonly Sample[], seed: number): Markup | null {
  const lanes = controllerLanes(plan.lanes, (label) => controllersOf(plan, label));
  const sentences = lanes && controllerSentences(samples, lanes, seed);
  if (!sentences) return null;
  return html`<p class="controller"><b>How much is the controller:</b> ${sentences.join(" ").replaceAll(/(?<= )-(?=\d)/g, "−")}</p>`;
}
