import { describe, expect, it } from "vitest";

import { processState } from "#contract/processes/process-state.ts";
import { crashLooping, instanceReport, processReport } from "../../support/process-reports.ts";

const live = instanceReport("web-7-0");

describe("the state of a process", () => {
  it.each([
    ["running", { wanted: 1, instances: [live] }],
    ["running", { wanted: 1, instances: [live, instanceReport("web-6-0", { state: "draining" })] }],
    ["missing", { wanted: 2, instances: [live] }],
    ["missing", { wanted: 1, instances: [instanceReport("web-6-0", { state: "draining" })] }],
    ["starting", { wanted: 2, instances: [live, instanceReport("web-7-1", { state: "starting" })] }],
    ["restarting", { wanted: 2, instances: [live, instanceReport("web-7-1", { state: "restarting" })] }],
    ["crash_looping", { wanted: 2, instances: [live, instanceReport("web-7-1", crashLooping)] }],
    ["idle", { wanted: 0, instances: [] }],
    ["stopped", { wanted: 2, stopped: true, instances: [] }],
  ] as const)("is %s for %j", (state, { instances, ...change }) => {
    expect(processState(processReport("web", { ...change, instances: [...instances] }))).toBe(state);
  });
});
