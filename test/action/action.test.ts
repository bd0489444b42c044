import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";

import { root } from "../../scripts/shared/root.ts";
import { isStartAnswer } from "../support/faults/passages.ts";
import { readActionFile } from "./support/fake-runner.ts";
import { named, useJobs } from "./support/use-jobs.ts";

const jobs = useJobs();

describe("the action", () => {
  it("deploys the commit of the job with the job's identity, and shows how it went", async () => {
    const job = await jobs.newJob();
    await jobs.site.source.commit();
    const { code, stdout, commands, outputs, summary } = await job.run(jobs.inputs());
    const [deployment] = await jobs.deployments();
    expect({ code, sha: deployment?.commit_sha }, stdout).toEqual({
      code: 0,
      sha: job.environment["GITHUB_SHA"],
    });
    expect(deployment?.actor.name).toBe(jobs.ruleName);
    const page = `${jobs.installation.clients.url}/app/deployments/${deployment?.id}`;
    expect(outputs).toEqual({ id: deployment?.id, version: "1", url: page, status: "live" });
    expect(named(commands, "group")).toEqual(expect.arrayContaining(["Fetch", "Build", "Activate"]));
    expect(named(commands, "group")).toHaveLength(named(commands, "endgroup").length);
    expect(stdout).toMatch(/^line 20$/m);
    // The token is in the output only where the runner is told to hide it.
    const [secret = ""] = named(commands, "add-mask");
    expect(secret).not.toBe("");
    expect(stdout.split(secret)).toHaveLength(2);
    const html = await marked.parse(summary);
    expect(html).toMatch(/<h3>v1 is live<\/h3>/);
    expect(html).toMatch(/<td>Build<\/td>\s*<td align="right">[\d.]+ m?s<\/td>/);
    expect(html).toContain("Open in Gantry</a>");
    // The last part of the step has nothing to do.
    expect(await job.post(jobs.inputs())).toMatchObject({ code: 0, stdout: "" });
  });

  it("fails with the first error, and what a commit or a build prints does nothing to the job", async () => {
    const message =
      "x | <img src=x onerror=alert(1)> **b** `c` [d](https://e.example) @acme\n\n::error::body";
    const hostile = [
      "echo '::error file=a.ts::from the build'",
      "echo '  ::add-mask::shop'",
      "echo 'x ##[add-matcher]/tmp/x'",
      "printf 'a\\r::warning::after a return\\n'",
      "echo '##[error]the last line' >&2; exit 3",
    ].join("\n");
    const sha = await jobs.site.source.repository.commit(
      { "build.sh": hostile, "activate.sh": "true" },
      message,
    );
    const job = await jobs.newJob(sha);
    const { code, commands, outputs, summary } = await job.run(jobs.inputs());
    expect({ code, status: outputs["status"] }).toEqual({ code: 1, status: "failed" });
    expect(new Set(commands.map(({ name }) => name))).toEqual(
      new Set(["add-mask", "group", "endgroup", "error"]),
    );
    expect(named(commands, "add-mask")).toHaveLength(1);
    const errors = named(commands, "error");
    expect(errors).toEqual([expect.stringMatching(/^v1 failed: [^]*build_failed[^]*from the build/)]);
    const html = await marked.parse(summary);
    expect(html).not.toMatch(/<(?:img|strong>b)|href="https:\/\/e/);
    expect(html).toContain("build");
  });

  it("cancels its deployment when the job is canceled", async () => {
    await jobs.site.source.gate.hold("build");
    const job = await jobs.newJob();
    const step = job.start(jobs.inputs());
    await jobs.site.source.gate.reached("build");
    step.child.kill("SIGINT");
    const { code, outputs, stdout } = await step.ended;
    expect({ code, status: outputs["status"] }, stdout).toEqual({ code: 1, status: "canceled" });
    await jobs.site.source.gate.open();
    expect(await jobs.installation.api.ended(outputs["id"] ?? "")).toMatchObject({ status: "canceled" });
    expect((await job.post(jobs.inputs())).stdout).toBe("");
  });

  it("cancels it in the last part of the step if the first was killed", async () => {
    await jobs.site.source.gate.hold("build");
    const job = await jobs.newJob();
    const step = job.start(jobs.inputs());
    await jobs.site.source.gate.reached("build");
    step.child.kill("SIGKILL");
    const { outputs } = await step.ended;
    const post = await job.post(jobs.inputs());
    expect(post, post.stdout).toMatchObject({ code: 0 });
    await jobs.site.source.gate.open();
    expect(await jobs.installation.api.ended(outputs["id"] ?? "")).toMatchObject({ status: "canceled" });
  });

  it("cancels what it has started if it was killed before the answer", async () => {
    await jobs.site.source.gate.hold("build");
    const job = await jobs.newJob();
    const remove = jobs.installation.clients.rule((passage) => (isStartAnswer(passage) ? "drop" : null));
    const step = job.start(jobs.inputs());
    await jobs.site.source.gate.reached("build");
    step.child.kill("SIGKILL");
    expect((await step.ended).outputs).toEqual({});
    remove();
    const post = await job.post(jobs.inputs());
    expect(post, post.stdout).toMatchObject({ code: 0 });
    await jobs.site.source.gate.open();
    const [only] = await jobs.deployments();
    expect(await jobs.installation.api.ended(only?.id ?? "")).toMatchObject({ status: "canceled" });
  });

  it("deploys once in an attempt of its job, also after a lost answer", async () => {
    const job = await jobs.newJob();
    let lost = 0;
    const remove = jobs.installation.clients.rule((passage) => {
      if (!isStartAnswer(passage) || lost > 0) return null;
      lost += 1;
      return "drop";
    });
    const first = await job.run(jobs.inputs());
    remove();
    const again = await job.run(jobs.inputs());
    expect([lost, first.code, again.code], first.stdout + again.stdout).toEqual([1, 0, 0]);
    expect(again.outputs["id"]).toBe(first.outputs["id"]);
    job.environment["GITHUB_RUN_ATTEMPT"] = "2";
    const next = await job.run(jobs.inputs({ follow: "false" }));
    expect(next).toMatchObject({ code: 0, outputs: { version: "2" } });
    expect((await jobs.deployments()).map(({ version }) => version)).toEqual([2, 1]);
    // It does not cancel what it was told not to wait for.
    expect((await job.post(jobs.inputs())).stdout).toBe("");
    expect(await jobs.installation.api.ended(next.outputs["id"] ?? "")).toMatchObject({ status: "live" });
  });

  it("finds a project by its name, if its token may read names, and shows its site", async () => {
    const job = await jobs.newJob();
    const byName = jobs.inputs({ project: jobs.site.name });
    const refused = await job.run(byName);
    expect(named(refused.commands, "error")).toEqual([
      expect.stringContaining("It is for one project: remove the input project"),
    ]);
    await jobs.trust({ scopes: ["deployments:write", "projects:read"] });
    const other = await jobs.newJob();
    const wrong = await other.run(jobs.inputs({ project: `${jobs.site.name}x` }));
    expect(named(wrong.commands, "error")).toEqual([
      expect.stringContaining(`Did you mean ${jobs.site.name}?`),
    ]);
    const none = await other.run(jobs.inputs());
    expect(named(none.commands, "error")).toEqual([expect.stringContaining("Set the input project")]);
    const { code, outputs, summary } = await other.run(
      jobs.inputs({ project: jobs.site.name, branch: "main" }),
    );
    const { url } = await jobs.installation.api.getProject(jobs.site.projectId);
    expect({ code, site: outputs["site"] }).toEqual({ code: 0, site: url });
    expect(await marked.parse(summary)).toContain(`${jobs.site.name} v1 is live`);
  });
});

/** A workflow with what the action needs. */
const Workflow = z.object({
  permissions: z.strictObject({ "id-token": z.literal("write") }),
  jobs: z.object({
    deploy: z.object({
      steps: z.array(z.object({ uses: z.string(), with: z.record(z.string(), z.string()) })),
    }),
  }),
});

describe("action.yml", () => {
  it("has the inputs and outputs that the action reads and sets", async () => {
    const { inputs: declared, outputs } = await readActionFile();
    const texts = ["inputs", "installation", "job-tokens", "main"].map((name) =>
      readFile(join(root, "src", "action", `${name}.ts`), "utf8"),
    );
    const source = (await Promise.all(texts)).join("\n");
    const read = [...source.matchAll(/\.input\("(\w+)"\)/g)].map(([, name]) => name);
    expect(new Set(read)).toEqual(new Set(Object.keys(declared)));
    expect(Object.keys(outputs)).toEqual(["id", "version", "url", "site", "status"]);
  });

  it("is what docs/ci.md describes", async () => {
    const { inputs: declared, outputs } = await readActionFile();
    const page = await readFile(join(root, "docs", "ci.md"), "utf8");
    const rows = [...page.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
      cell.match(/(?<=`)\w+(?=`)/g),
    );
    expect(new Set(rows)).toEqual(new Set(Object.keys(declared)));
    for (const name of Object.keys(outputs)) expect(page).toContain(`\`${name}\``);
    const [, workflow = ""] = /```yaml\n(# \.github[^]*?)```/.exec(page) ?? [];
    const [step] = Workflow.parse(parse(workflow)).jobs.deploy.steps;
    expect(Object.keys(step?.with ?? {})).toEqual(["url"]);
    expect(step?.uses).toMatch(/^acme\/gantry@0{40}$/);
  });
});
