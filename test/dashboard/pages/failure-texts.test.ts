import { expect, it } from "vitest";

import { adviceFor, failureAdvice, failureTitle } from "#dashboard/pages/deployment/failure-texts.ts";

it("the headline of a failure is its stage and its message", () => {
  expect(failureTitle({ stage: "build", message: "the build command ended with exit code 3" })).toEqual({
    title: "Build failed: the build command ended with exit code 3",
    detail: null,
  });
  expect(failureTitle({ stage: "queued", message: "the server did not connect" }).title).toBe(
    "Start failed: the server did not connect",
  );
});

it("a long message is not part of the headline", () => {
  const message = "the repository ".repeat(20);
  expect(failureTitle({ stage: "fetch", message })).toEqual({ title: "Fetch failed", detail: message });
});

it("nothing repeats the headline of a failed fetch, install or build", () => {
  const headlines = ["fetch_failed", "ref_not_found", "install_failed", "build_failed", "disk_full"] as const;
  for (const code of headlines) expect(failureAdvice[code]).toBeNull();
  expect(adviceFor("health_check_failed", { version: 2 })).toBe("A release that was live before stays live.");
  expect(adviceFor("health_check_failed", { version: 1 })).toBeNull();
});
