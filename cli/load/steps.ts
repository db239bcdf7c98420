// The steps of a load: the one place that knows all of them. Their order is that in which they see the page open: flows run before it is loaded,
// and the machine is read last.
import { setTimeout as delay } from "node:timers/promises";
import { laneFacts } from "../base/lanes.ts";
import type { Film, ScreencastFrame } from "../browser/screencast.ts";
import { trafficStep } from "./cross_traffic.ts";
import { flightStep } from "./first_flight.ts";
import type { LoadRequest } from "./load_request.ts";
import { machineStep } from "./machine_step.ts";
import type { LoadStep } from "./step.ts";
import { videoStep } from "./video_step.ts";
import { repeatStep } from "./visits.ts";

/** What the load event's own scripts change is painted after it. */
const filmedAfterLoad_ms = 500;

function filmStep(take: (frames: readonly ScreencastFrame[]) => void): LoadStep {
  let film: Film | null = null;
  return {
    needs: { films: true },
    async opened({ page }) {
      film = await page.film();
    },
    async rested() {
      await delay(filmedAfterLoad_ms);
      if (film) take(await film.stop());
    },
  };
}

export function stepsOf(request: LoadRequest): readonly LoadStep[] {
  const { lane, link, server, crossTraffic, filmed, watchesFlights, tolerance, keepCache = false } = request;
  const { video_s } = request.recording;
  const { protocols, repeat } = laneFacts[lane];
  // pasta ends TCP at this end of the link: its first flight says nothing of the server.
  const endsTcp = server?.definition.live !== undefined && !protocols.every((each) => each === "h3");
  const machine = machineStep({ tolerance, rtt_ms: link.rtt_ms, estimates: video_s === undefined });
  return [
    ...(repeat ? [repeatStep({ keepCache, rtt_ms: link.rtt_ms })] : []),
    ...(crossTraffic ? [trafficStep(crossTraffic)] : []),
    ...(watchesFlights && !crossTraffic && !endsTcp ? [flightStep(lane, link.rtt_ms)] : []),
    ...(filmed ? [filmStep(filmed)] : []),
    ...(video_s === undefined ? [] : [videoStep(video_s, machine)]),
    machine,
  ];
}
