// The reports that trilane-replay, trilane-shaper and trilane-flows leave behind. Reads files; judges nothing.
import type { FlowReport } from "../../schemas/generated/flow_report.ts";
import type { ReplayReport } from "../../schemas/generated/replay_report.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";
import { readDocument } from "../base/record_file.ts";

export type { ReplayConnection, ReplayedRequest, ReplayReport } from "../../schemas/generated/replay_report.ts";
export type { ShaperReport } from "../../schemas/generated/shaper_report.ts";

export const readReplayReport = (path: string) => readDocument<ReplayReport>(path, "trilane/replay-report/1");
export const readShaperReport = (path: string) => readDocument<ShaperReport>(path, "trilane/shaper-report/1");
export const readFlowReport = (path: string) => readDocument<FlowReport>(path, "trilane/flow-report/1");
