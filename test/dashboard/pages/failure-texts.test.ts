import { expect, it } from "vitest";

import type { DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { adviceFor, failureAdvice, failureTitle } from "#dashboard/pages/deployment/failure-texts.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count),
});

it("the headline of a failure is its stage and its message", () => {
  expect(failureTitle({ stage: "build", message: "the build command ended with exit code 3" })).toEqual({
    title: "Build failed: the build command ended with exit code 3",
    detail: null,
  });
  expect(failureTitle({ stage: "queued", message: "the server did not connect" }).title).toBe(
    "Start failed: the server did not connect",
  );
});

it("the headline names the server, if there are several", () => {
  const failure = { stage: "verify", message: "503 from /up" } as const;
  expect(failureTitle(failure, "web-2").title).toBe("Verify failed on web-2: 503 from /up");
});

it("the advice says that servers keep the release if they do not go back", () => {
  const nothing = { stage: null, failure: null, evidence: null, started_at: null, finished_at: null };
  const id = ids.server();
  const run: DeploymentRun = {
    ...nothing,
    server_id: id,
    purpose: "deploy",
    status: "switched",
    release: 2,
  };
  const back: DeploymentRun = { ...run, purpose: "revert", release: 1 };
  expect(adviceFor("health_check_failed", { version: 2, runs: [run] })).toMatch(
    /^Servers that have switched/,
  );
  expect(adviceFor("health_check_failed", { version: 2, runs: [run, back] })).toMatch(/^A release that was/);
});

it("a long message is not part of the headline", () => {
  const message = "the repository ".repeat(20);
  expect(failureTitle({ stage: "fetch", message })).toEqual({ title: "Fetch failed", detail: message });
});

it("nothing repeats the headline of a failed fetch, install or build", () => {
  const headlines = ["fetch_failed", "ref_not_found", "install_failed", "build_failed", "disk_full"] as const;
  for (const code of headlines) expect(failureAdvice[code]).toBeNull();
  expect(adviceFor("health_check_failed", { version: 2, runs: [] })).toBe(
    "A release that was live before stays live.",
  );
  expect(adviceFor("health_check_failed", { version: 1, runs: [] })).toBeNull();
});
