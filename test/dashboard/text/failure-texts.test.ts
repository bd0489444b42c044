import { expect, it } from "vitest";

import { failureTitle } from "#dashboard/text/failure-texts.ts";

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
