import { describe, expect, it } from "vitest";

import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { rolloutText } from "#cli/views/project-servers.ts";

const text = (changes: Partial<Rollout>) => rolloutText(Rollout.parse(changes));

describe("the rollout of a project, in one line", () => {
  it("is not shown if it is the default", () => {
    expect(text({})).toBeNull();
  });

  it("says how many switch at a time, and what happens if one fails or is not connected", () => {
    expect(text({ batch: 2, pause_seconds: 30, canary: { size: 1, approval: false } })).toBe(
      "first 1, then 2 at a time, 30 s between them",
    );
    expect(text({ on_failure: "stop" })).toBe("one at a time; if one fails, servers that have switched stay");
    expect(text({ order: "at_once", batch: 2, offline: "skip", on_failure: "continue", min: 2 })).toBe(
      "all at once; if one fails, the others continue; servers that are not connected are left out; at least 2 must switch",
    );
  });
});
