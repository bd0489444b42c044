import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { named, useJobs } from "../../action/support/use-jobs.ts";
import { freePort } from "../../support/free-port.ts";

const jobs = useJobs();

describe("the action", () => {
  it("ends soon when the job is canceled while the installation cannot be reached", async () => {
    const job = await jobs.newJob();
    const step = job.start({ url: `http://127.0.0.1:${await freePort()}`, token: "x" });
    await expect.poll(() => step.output()).toContain("Trying again");
    const canceledAt = performance.now();
    step.child.kill("SIGINT");
    expect((await step.ended).code).toBe(1);
    // The runner ends it after ten seconds.
    expect(performance.now() - canceledAt).toBeLessThan(7_000);
  });

  it("cancels its deployment after the input timeout", async () => {
    await jobs.site.source.gate.hold("build");
    const job = await jobs.newJob();
    const { code, commands, outputs } = await job.run(jobs.inputs({ timeout: "0.05" }));
    expect({ code, status: outputs["status"] }).toEqual({ code: 1, status: "canceled" });
    expect(named(commands, "error")).toEqual([expect.stringContaining("longer than the input timeout")]);
    await jobs.site.source.gate.open();
    expect(await jobs.installation.api.ended(outputs["id"] ?? "")).toMatchObject({ status: "canceled" });
  });

  it("fails and leaves the deployment if a freeze holds it", async () => {
    const times = { type: "once", from: "2026-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" };
    const freeze = { name: "Launch", project_id: jobs.site.projectId, times };
    expect((await jobs.installation.api.call("POST", "/v1/freezes", freeze)).status).toBe(201);
    const job = await jobs.newJob();
    const { code, commands, outputs, summary } = await job.run(jobs.inputs());
    expect({ code, status: outputs["status"] }).toEqual({ code: 1, status: "held" });
    expect(named(commands, "error")).toEqual([
      expect.stringMatching(/^v1 is held and starts later: it waits for the end of the freeze/),
    ]);
    expect(summary).toContain("v1 is held");
    expect((await job.post(jobs.inputs())).stdout).toBe("");
    expect(await jobs.installation.api.getDeployment(outputs["id"] ?? "")).toMatchObject({
      status: "building",
    });
  });

  it("gets another token when its token expires during the deployment", async () => {
    const job = await jobs.newJob();
    await job.run(jobs.inputs({ project: "none" }));
    const temporary = job.environment["RUNNER_TEMP"] ?? "";
    const [name = ""] = await readdir(temporary);
    const path = join(temporary, name);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    // It is not used in its last minute, which begins in a moment.
    const token = { ...JSON.parse(await readFile(path, "utf8")), expires_at: Date.now() + 61_500 };
    await writeFile(path, JSON.stringify(token));
    await jobs.site.source.gate.hold("build");
    const step = job.start(jobs.inputs());
    await jobs.site.source.gate.reached("build");
    const masks = () => step.output().match(/^::add-mask::/gm)?.length;
    await expect.poll(masks).toBe(2);
    await jobs.site.source.gate.open();
    expect(await step.ended).toMatchObject({ code: 0, outputs: { status: "live" } });
  });

  it("says what is missing", async () => {
    const refused: [Record<string, string>, Record<string, string>, string][] = [
      [{ url: "" }, {}, "Set the input url"],
      [{ url: "http://gantry.example.com" }, {}, "does not protect the token"],
      [{ follow: "perhaps" }, {}, "must be true or false"],
      [{ timeout: "soon" }, {}, "number of minutes"],
      [{ image: "ghcr.io/acme/shop" }, {}, "image must be NAME:TAG"],
      [{ commit: "main" }, {}, "commit must be 7 to 40 hexadecimal digits"],
      [{}, { ACTIONS_ID_TOKEN_REQUEST_URL: "" }, "Add id-token: write"],
      [{ audience: "https://other.example.com" }, {}, "audience"],
      [{ token: "wrong" }, {}, "token"],
    ];
    const job = await jobs.newJob();
    for (const [given, environment, message] of refused) {
      const before = { ...job.environment };
      Object.assign(job.environment, environment);
      const { code, commands } = await job.run(jobs.inputs(given));
      Object.assign(job.environment, before);
      expect({ code, errors: named(commands, "error") }).toEqual({
        code: 1,
        errors: [expect.stringContaining(message)],
      });
    }
    expect(await jobs.deployments()).toEqual([]);
  });
});
