import { expect, it } from "vitest";

import { undoAll } from "../../scripts/release-check/run-release-check.ts";

it("removes the rest of what a release check has created if something cannot be removed", async () => {
  const removed: string[] = [];
  const errors = await undoAll([
    async () => void removed.push("server"),
    async () => await Promise.reject(new Error("the project is busy")),
    async () => void removed.push("deployment"),
  ]);
  expect(removed).toEqual(["deployment", "server"]);
  expect(errors).toMatchObject([{ message: "the project is busy" }]);
});
