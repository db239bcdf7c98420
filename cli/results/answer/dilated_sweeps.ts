// Sweeps of earlier versions may have been dilated: time passed `dilate` times slower in their labs, and TCP ran Reno, because the kernel's
// CUBIC goes by the machine's seconds. This version loads none; what they ran, and the words for it, stand here. Pure.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { isOverTcp, type LaneLabel, laneOf } from "../../base/lanes.ts";
import { laneServing, type Serving, settleServing } from "../../load/serving/serving.ts";

type StoredPlan = Pick<SweepPlan, "dilate" | "serving" | "settings"> & { readonly lanes: readonly LaneLabel[] };

/** How servers served in a sweep that was dilated so many times. */
export function servedInDilatedTime(serving: Serving, dilation: number): Serving {
  const { transport } = serving;
  if (dilation === 1 || transport.tcp.congestion_control !== "cubic") return serving;
  return settleServing({
    ...serving,
    transport: { ...transport, tcp: { ...transport.tcp, congestion_control: "reno" } },
  });
}

/** Whether Reno took CUBIC's place on a lane that has TCP. */
export function hadRenoForCubic(plan: StoredPlan): boolean {
  return plan.lanes.some((label) => {
    const served = laneServing(plan, label);
    return isOverTcp(laneOf(label)) && servedInDilatedTime(served, plan.dilate ?? 1) !== served;
  });
}

/** For people, beside a verdict; null if time was not dilated. */
export function dilationSentence(plan: StoredPlan): string | null {
  const { dilate = 1 } = plan;
  if (dilate === 1) return null;
  const reno = hadRenoForCubic(plan) ? " TCP ran Reno, because the kernel's CUBIC cannot be dilated." : "";
  return `Time was dilated ${dilate} times (by an earlier version): the times are those of the network as asked, computed from a slower one.${reno}`;
}
