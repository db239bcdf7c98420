// One measured load: makes a lab with a fresh browser in it, loads the recording's page over one lane and one link,
// and returns the page load with its verdict. Everything it started or wrote is gone when it returns.
//
// A load that fails (a crash, a time-out, an error page) is a result, with its reason. Thrown is only what would fail
// every load: no browser, no user namespaces, no recording, or another one than the plan's; and the abort signal's reason.
import { homedir } from "node:os";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { debugLine } from "../base/debug.ts";
import { RunError, UserError } from "../base/errors.ts";
import type { Lane } from "../base/lanes.ts";
import { browserProgram, chromiumPath } from "../base/programs.ts";
import { binaryDigest, versionInWords } from "../browser/browser_binary.ts";
import { makeScratchFolder, throwIfFull } from "../browser/scratch.ts";
import { composePageLoad } from "./compose.ts";
import { engineOf } from "./engine_of.ts";
import { keepBrowserQlogs, keepDocument, keepFiles, openEvidence, refuseCutEvidence } from "./evidence.ts";
import { extraRttArgumentsOf } from "./extra_rtts.ts";
import { farSide } from "./far_side.ts";
import { hidingArguments } from "./hidden_files.ts";
import { upgradesByItself } from "./hsts.ts";
import { boundTo, labCommand } from "./lab.ts";
import { upgradesClearOrigins, urlOnLane } from "./lane_origins.ts";
import type { LoadRequest } from "./load_request.ts";
import { besideOthers } from "./machine_step.ts";
import { beginProfile } from "./made_profile.ts";
import { observe, startTimeout_ms } from "./observe.ts";
import { recordedRequestsOf } from "./recorded_requests_of.ts";
import { readReplayReport, readShaperReport } from "./reports.ts";
import { stockServing } from "./serving/serving.ts";
import { merged } from "./step.ts";
import { stepsOf } from "./steps.ts";
import { replacedRecording } from "./validity.ts";

export type { Lane, LoadRequest, PageLoad };

const nowNs = (): number => Number(process.hrtime.bigint());

export function measureLoad(request: LoadRequest): Promise<PageLoad> {
  return besideOthers(() => measureOne(request));
}

async function measureOne(asGiven: LoadRequest): Promise<PageLoad> {
  const { home, recording, lane, link, signal } = asGiven;
  const started_ns = nowNs();
  signal?.throwIfAborted();
  const program = asGiven.browser === undefined ? chromiumPath() : browserProgram(asGiven.browser);
  const engine = engineOf(program);
  const [browserDigest, recorded] = await Promise.all([binaryDigest(program), recordedRequestsOf(home, recording)]);
  const device = asGiven.device ?? recorded?.device;
  const request = { ...asGiven, ...(device ? { device } : {}) };
  const steps = stepsOf(request);
  const isLive = request.server?.definition.live !== undefined;
  const byBrowser =
    lane === "h1" &&
    !isLive &&
    (request.server !== undefined ||
      recorded?.isMixed ||
      (engine.hasPreloadList && (await upgradesByItself(program, recording.url))));
  const planned = request.serving ?? stockServing;
  const frequentAcks = planned.client_acks === "frequent";
  const refused = engine.refusal({
    ...{ lane, frequentAcks, hosts: recorded?.addresses ?? new Map(), isLive },
    ...merged(steps.map(({ needs }) => needs)),
  });
  if (refused !== null) throw new UserError(refused);
  const scratch = await makeScratchFolder();
  try {
    await beginProfile({ engine, program, digest: browserDigest, home }, scratch.profile);
    const serving = typeof request.pinned_ms === "number" ? { ...planned, pin_time: true } : planned;
    const evidence = request.evidence === undefined ? null : await openEvidence(request.evidence, scratch.folder);
    const far = await farSide({
      ...{ home, recording, lane, byBrowser, serving, server: request.server, evidence, scratch: scratch.folder },
    });
    const { reports, folder } = scratch;
    const parts = await Promise.all(
      steps.map((step) => step.prepare?.({ scratch: folder, evidence, shaper: reports.shaper })),
    );
    const lab = labCommand({
      ...{ home, link, reports, ...far.lab, ...merged(parts) },
      shaperOptions: [
        ...hidingArguments({ program, writable: [folder, ...(evidence ? [evidence.qlogs] : [])], data: home }),
        ...(serving.extra_rtt ? await extraRttArgumentsOf(home, recording) : []),
        ...(evidence ? [...evidence.capture, "--flow-counters", evidence.counters] : []),
        ...parts.flatMap((part) => part?.shaperOptions ?? []),
      ],
    });
    const browser = await engine.command({
      ...{ program, lane, profile: scratch.profile, temporary: folder, spkiList: far.spkiList },
      addresses: far.addresses,
      ...(recorded && !isLive ? { hosts: recorded.addresses } : {}),
      ...(device ? { device } : {}),
      ...{ frequentAcks, logs: evidence !== null },
      ...merged(steps.map(({ started }) => started)),
    });
    const url = urlOnLane(recording.url, lane, byBrowser);
    const watches = steps.flatMap((step) => step.watch?.() ?? []);
    const observation = await observe(
      { request, steps, engine, url, outermost: far.outermost },
      {
        commandLine: [...boundTo(request.cpus), ...lab.replay, ...lab.shaper, ...browser.through, ...browser.words],
        environment: { ...browser.environment, ...evidence?.environment },
        timeout_ms: startTimeout_ms,
      },
    ).finally(() => Promise.all(watches.map((watch) => watch.close())));
    signal?.throwIfAborted();
    const { replay, ...server } = await far.read(await readReplayReport(reports.replay));
    if (observation.failure !== null || replay === null) throwIfFull(scratch);
    const replaced = replacedRecording(recording, replay);
    if (replaced !== null) throw new RunError(replaced);
    if (evidence) {
      const kept = parts.flatMap((part) => part?.kept ?? []);
      await keepFiles(evidence.folder, [...Object.values(reports), ...kept]);
      await keepBrowserQlogs(evidence, (await engine.qlogs?.(folder)) ?? []);
      await refuseCutEvidence(evidence);
    }
    for (const step of steps) await step.gone?.();
    const measured = {
      ...{ request, steps, serving, recorded, observation, replay, server, browserDigest, started_ns },
      evidence: evidence?.folder ?? null,
      upgraded: upgradesClearOrigins(lane, byBrowser),
      browser: { name: engine.name, version: versionInWords(observation.browserVersion, program) },
      shaper: await readShaperReport(reports.shaper),
      commandLines: {
        replay: [...boundTo(request.cpus), ...lab.replay],
        shaper: [...lab.shaper],
        browser: [...browser.words],
      },
      places: [
        { path: scratch.profile, name: "$PROFILE" },
        { path: folder, name: "$REPORTS" },
        { path: home, name: "$TRILANE_HOME" },
        { path: homedir() === "/" ? "" : homedir(), name: "$HOME" },
        ...far.places,
        ...(evidence ? [{ path: evidence.folder, name: "$EVIDENCE" }] : []),
      ],
    };
    await scratch.remove();
    const load = composePageLoad(measured, nowNs());
    debugLine("loads", () => {
      const { status, reasons } = load.log._trilane;
      return `${recording.name} ${lane}: ${[status, ...reasons].join("; ")}`;
    });
    if (evidence) await keepDocument(evidence.folder, "load.har", load);
    return load;
  } finally {
    await scratch.remove();
  }
}
