import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

import { afterEach, beforeEach, expect, it } from "vitest";

import { sendRequest } from "#agent/lib/http/send-request.ts";

import { type FarServer, startFarServer, twoAddresses } from "../../../../support/far-server.ts";
import { spawnAgent } from "../../../../agent/support/agent-process.ts";
import { AgentWorld } from "../../../../agent/support/harness.ts";

let world: AgentWorld;
let far: FarServer;
beforeEach(async () => {
  world = await AgentWorld.create();
  far = await startFarServer(world.folder, Number(new URL(world.control.url).port));
});
afterEach(async () => {
  far.close();
  await world.close();
});

it("an agent enrols with a control plane that is more than 250 ms away and has several addresses", async () => {
  const { enrolmentToken } = world.control;
  const args = ["enroll", "--url", far.url, "--token", enrolmentToken, "--home", world.home];
  const enrolment = spawnAgent(args, { preload: twoAddresses });
  await far.answer();
  expect([await enrolment.exited, enrolment.output()]).toEqual([0, expect.stringContaining("enrolled as")]);
  expect(far.secondTries).toBe(0);
});

it("a health check tries the next address while time is left for the answer", async () => {
  await import(twoAddresses);
  const before = getDefaultAutoSelectFamilyAttemptTimeout();
  setDefaultAutoSelectFamilyAttemptTimeout(2_500);
  try {
    const request = { url: new URL(far.url), method: "GET", maxBodyBytes: 100, fresh: true } as const;
    expect(await sendRequest({ ...request, timeoutMs: 2_000 })).toMatchObject({ kind: "failed" });
    expect(far.secondTries).toBe(1);
  } finally {
    setDefaultAutoSelectFamilyAttemptTimeout(before);
  }
});
