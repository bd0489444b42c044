import { describe, expect, it } from "vitest";

import { refText, whyText } from "#dashboard/pages/pushes/push-texts.ts";

describe("a push as text", () => {
  it("names branches and tags as people do", () => {
    expect(refText("refs/heads/release/2026")).toBe("release/2026");
    expect(refText("refs/tags/v1.0")).toBe("tag v1.0");
    expect(refText("refs/notes/commits")).toBe("refs/notes/commits");
  });

  it("says why, with the decision's own explanation if it has one", () => {
    expect(whyText({ reason: "skip_marker", detail: null })).toMatch(/commit message/);
    expect(whyText({ reason: "skip_marker", detail: "It has [skip deploy]." })).toBe("It has [skip deploy].");
    expect(whyText({ reason: null, detail: null })).toBe("");
  });
});
