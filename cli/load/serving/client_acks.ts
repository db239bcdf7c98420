// How often the browser acknowledges over QUIC: one way for all lanes of a plan, so that lanes differ by what they are compared
// for, and often enough for the controllers among them. Pure.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { type Serving, settleServing } from "./serving.ts";

/** They measure by ACKs, and starve where a browser sends one for ten packets. */
export const livesOnAcks = (controller: string): boolean => controller.startsWith("sprout-ewma");

/** The plan's serving, with frequent ACKs on all lanes if one of them has a controller that lives on them. */
export function servingWithAcks({ serving = {}, settings = {} }: Pick<SweepPlan, "serving" | "settings">): Serving {
  const settled = settleServing(serving);
  const transports = [settled.transport, ...Object.values(settings)];
  const needed = transports.some(({ quic }) => quic?.congestion_control && livesOnAcks(quic.congestion_control));
  return needed ? { ...settled, client_acks: "frequent" } : settled;
}
