import { describe, expect, it } from "vitest";

import "#contract/issue-messages.ts";
import { readPlace, readRollout } from "#cli/commands/server-options.ts";

const rollout = (...words: string[]) => {
  const read = readRollout({ rollout: words });
  return read.ok ? read.value : read.problem.detail;
};
const place = (text: string, ...names: string[]) => {
  const read = readPlace(
    text,
    names.map((name) => ({ name })),
  );
  return read.ok ? read.value : read.problem.detail;
};

describe("--server", () => {
  it("names a server, and after = the processes that run on it", () => {
    expect(place("web-1")).toEqual({ word: "web-1", processes: null });
    expect(place("jobs-1=worker,mailer")).toEqual({ word: "jobs-1", processes: ["worker", "mailer"] });
    expect(place("jobs-1=")).toEqual({ word: "jobs-1", processes: [] });
  });

  it("takes the whole text as a name if a server has it", () => {
    expect(place("a=b", "a=b")).toEqual({ word: "a=b", processes: null });
    expect(place("a=b=web", "a=b")).toEqual({ word: "a=b", processes: ["web"] });
  });

  it("refuses what is no list of processes", () => {
    expect(place("jobs-1=worker,")).toContain("such as jobs-1=web,worker.");
    expect(place("jobs-1=Worker")).toContain("such as jobs-1=web,worker.");
    expect(place("jobs-1=worker,worker")).toBe("--server jobs-1=worker,worker names worker twice.");
  });
});

describe("--rollout", () => {
  it("reads each field", () => {
    expect(rollout()).toBeNull();
    const fields = ["order=rolling", "batch=2", "pause_seconds=30", "canary=1"];
    expect(rollout(...fields, "on_failure=stop", "offline=skip", "min=2")).toEqual({
      ...{ order: "rolling", batch: 2, pause_seconds: 30, canary: { size: 1 } },
      ...{ on_failure: "stop", offline: "skip", min: 2 },
    });
    expect(rollout("canary=")).toEqual({ canary: null });
    expect(rollout("canary_approval=yes", "canary=2")).toEqual({ canary: { size: 2, approval: true } });
  });

  it("suggests the field or the value that was probably meant", () => {
    expect(rollout("bach=2")).toBe("--rollout has no field bach. Did you mean batch?");
    expect(rollout("pause-seconds=2")).toContain("Did you mean pause_seconds?");
    expect(rollout("batch")).toBe("--rollout batch is not FIELD=VALUE, such as batch=2. Did you mean batch?");
    expect(rollout("order=at-once")).toBe(
      "--rollout order must be one of rolling, at_once. Did you mean at_once?",
    );
  });

  it("names the limits of a number", () => {
    expect(rollout("batch=0")).toBe("--rollout batch must be 1 or more.");
    expect(rollout("pause_seconds=soon")).toMatch(/^--rollout pause_seconds must be a .*number\.$/);
    expect(rollout("canary_approval=yes")).toMatch(/needs the number of servers/);
    expect(rollout("canary_approval=maybe", "canary=1")).toMatch(/one of yes, no/);
    expect(rollout("canary=some")).toMatch(/^--rollout canary must be a .*number\.$/);
  });
});
