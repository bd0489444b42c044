import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { sweepArtifacts } from "#worker/schedule/sweep-artifacts.ts";
import { type Made, makeBuild, readPart, startWith, stored, upload } from "../../support/worker/builds.ts";
import { problemOf } from "../../support/worker/call.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { TestProject } from "../../support/worker/project.ts";
import { runRound } from "../../support/worker/schedule.ts";

/** The sweep, as if it were two days later. */
const sweepLater = async () =>
  await runRound(sweepArtifacts, { now: () => Date.now() + 2 * 24 * 60 * 60 * 1000 });

const wait = async (ms: number) => await new Promise((done) => setTimeout(done, ms));

/**
 * Holds the next call of R2 that is about a build. Objects do not share promises, so this waits by looking.
 * @param isAfter whether the call is held when R2 has answered it
 */
function holdCall(method: "delete" | "list", { artifact }: Made, { isAfter = false } = {}) {
  let isHeld = false;
  let isReleased = false;
  const untilReleased = async () => {
    isHeld = true;
    while (!isReleased) await wait(10);
  };
  const stop = aroundCalls(Object.getPrototypeOf(env.LOGS), method, async (act, values) => {
    if (!JSON.stringify(values).includes(artifact.sha256)) return await act();
    stop();
    if (!isAfter) await untilReleased();
    const answer = await act();
    if (isAfter) await untilReleased();
    return answer;
  });
  return {
    held: async () => await vi.waitFor(() => expect(isHeld).toBe(true)),
    release: () => void (isReleased = true),
  };
}

/** A start succeeds if its build can be read, and says otherwise that it is gone. */
async function expectReadableOrRefused(project: TestProject, made: Made, answer: Response): Promise<void> {
  if (answer.status !== 201)
    return expect(await problemOf(answer)).toMatchObject({ code: "artifact_incomplete" });
  await project.agent.orderOf(DeploymentStarted.parse(await answer.json()).id);
  expect((await readPart(project, project.agent, made)).status).toBe(200);
}

async function uploading() {
  const { project, keys } = await TestProject.withKeys({ artifact_uploads: true });
  const make = async (text: string) => await makeBuild(text, [keys.sealKey.fingerprint]);
  return { project, builds: [await make("one"), await make("two"), await make("three")] as const };
}

async function deployUpload(project: TestProject, made: Made): Promise<void> {
  expect((await upload(project, made)).status).toBe(204);
  const started = await startWith(project, made.artifact);
  const { id } = DeploymentStarted.parse(await started.json());
  await project.agent.completes(await project.agent.orderOf(id));
  await project.reaches(id, "live");
}

describe("a build that is being removed", () => {
  it("is not taken by a start at the same time, if the sweep removes it", async () => {
    const { project, builds } = await uploading();
    const [made] = builds;
    await upload(project, made);
    const deletion = holdCall("delete", made);
    const swept = sweepLater();
    await deletion.held();
    const started = startWith(project, made.artifact);
    await Promise.race([started, wait(500)]);
    deletion.release();
    expect(await swept).toBe(0);
    await expectReadableOrRefused(project, made, await started);
  });

  it("is not taken by a start at the same time, if its lane removes it", async () => {
    const { project, builds } = await uploading();
    const [one, two, three] = builds;
    await deployUpload(project, one);
    await deployUpload(project, two);
    const deletion = holdCall("delete", one);
    await deployUpload(project, three);
    await deletion.held();
    const started = startWith(project, one.artifact);
    await Promise.race([started, wait(500)]);
    deletion.release();
    await expectReadableOrRefused(project, one, await started);
    expect((await upload(project, one)).status).toBe(204);
    expect((await startWith(project, one.artifact)).status).toBe(201);
  });

  it("stays if a start has chosen it before", async () => {
    const { project, builds } = await uploading();
    const [made] = builds;
    await upload(project, made);
    const check = holdCall("list", made, { isAfter: true });
    const started = startWith(project, made.artifact);
    await check.held();
    expect(await sweepLater()).toBe(0);
    check.release();
    expect((await started).status).toBe(201);
    await expectReadableOrRefused(project, made, await started);
    expect(await stored(project)).toEqual([made.artifact.sha256]);
  });
});
