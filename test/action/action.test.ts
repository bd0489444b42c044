import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { marked } from "marked";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";

import { TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { root } from "../../scripts/shared/root.ts";
import { isStartAnswer } from "../support/faults/passages.ts";
import { createSite, type Site } from "../support/faults/site.ts";
import { type JobIssuer, startJobIssuer } from "../support/job-issuer.ts";
import { createInstallation, type Installation } from "../cli/support/installation.ts";
import { createRunner, type Job, type Printed, readActionFile } from "./support/fake-runner.ts";

let installation: Installation;
let issuer: JobIssuer;
let runner: Awaited<ReturnType<typeof createRunner>>;
let site: Site;
let rule: TrustRule;
let sites = 0;

const claims = {
  ...{ project_id: "7", job_project_id: "7", ref_path: "refs/heads/main" },
  ...{ ref_protected: "true", pipeline_source: "push" },
};

beforeAll(async () => {
  [installation, issuer] = await Promise.all([createInstallation(), startJobIssuer()]);
  runner = await createRunner((audience) => issuer.token(audience, claims));
});
afterAll(async () => {
  issuer.close();
  await runner.close();
  await installation.stop();
});

/** Creates the rule that trusts the jobs of these tests. */
async function trust(more: object): Promise<TrustRule> {
  const input = {
    ...{ name: `shop ${sites}`, provider: "gitlab", issuer: issuer.url, subject: "7" },
    ...{ claims: { ref_path: ["refs/heads/main"] }, scopes: ["deployments:write"], ...more },
  };
  return TrustRule.parse((await installation.api.call("POST", "/v1/trust-rules", input)).json);
}

beforeEach(async () => {
  if (rule !== undefined) await installation.api.call("DELETE", `/v1/trust-rules/${rule.id}`);
  sites += 1;
  site = await createSite(installation, installation.host, `action-${sites}`);
  rule = await trust({ project_ids: [site.projectId] });
});

/** The inputs of each step: the proxy between the job and the Worker, and the audience of the rule. */
const inputs = (more: Record<string, string> = {}) => ({
  ...{ url: installation.clients.url, audience: rule.audience, ...more },
});
const newJob = async (): Promise<Job> => await runner.newJob([...site.source.commits.keys()].at(-1) ?? "");
const deployments = async () => await installation.api.listDeployments(site.projectId);
const named = (commands: readonly Printed[], name: string) =>
  commands.filter((one) => one.name === name).map(({ value }) => value);

describe("the action", () => {
  it("deploys the commit of the job with the job's identity, and shows how it went", async () => {
    const job = await newJob();
    await site.source.commit();
    const { code, stdout, commands, outputs, summary } = await job.run(inputs());
    const [deployment] = await deployments();
    expect({ code, sha: deployment?.commit_sha }, stdout).toEqual({
      code: 0,
      sha: job.environment["GITHUB_SHA"],
    });
    expect(deployment?.actor.name).toBe(rule.name);
    const page = `${installation.clients.url}/app/deployments/${deployment?.id}`;
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
    expect(await job.post(inputs())).toMatchObject({ code: 0, stdout: "" });
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
    const sha = await site.source.repository.commit({ "build.sh": hostile, "activate.sh": "true" }, message);
    const job = await runner.newJob(sha);
    const { code, commands, outputs, summary } = await job.run(inputs());
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
    await site.source.gate.hold("build");
    const job = await newJob();
    const step = job.start(inputs());
    await site.source.gate.reached("build");
    step.child.kill("SIGINT");
    const { code, outputs, stdout } = await step.ended;
    expect({ code, status: outputs["status"] }, stdout).toEqual({ code: 1, status: "canceled" });
    await site.source.gate.open();
    expect(await installation.api.ended(outputs["id"] ?? "")).toMatchObject({ status: "canceled" });
    expect((await job.post(inputs())).stdout).toBe("");
  });

  it("cancels it in the last part of the step if the first was killed", async () => {
    await site.source.gate.hold("build");
    const job = await newJob();
    const step = job.start(inputs());
    await site.source.gate.reached("build");
    step.child.kill("SIGKILL");
    const { outputs } = await step.ended;
    const post = await job.post(inputs());
    expect(post, post.stdout).toMatchObject({ code: 0 });
    await site.source.gate.open();
    expect(await installation.api.ended(outputs["id"] ?? "")).toMatchObject({ status: "canceled" });
  });

  it("cancels what it has started if it was killed before the answer", async () => {
    await site.source.gate.hold("build");
    const job = await newJob();
    const remove = installation.clients.rule((passage) => (isStartAnswer(passage) ? "drop" : null));
    const step = job.start(inputs());
    await site.source.gate.reached("build");
    step.child.kill("SIGKILL");
    expect((await step.ended).outputs).toEqual({});
    remove();
    const post = await job.post(inputs());
    expect(post, post.stdout).toMatchObject({ code: 0 });
    await site.source.gate.open();
    const [only] = await deployments();
    expect(await installation.api.ended(only?.id ?? "")).toMatchObject({ status: "canceled" });
  });

  it("deploys once in an attempt of its job, also after a lost answer", async () => {
    const job = await newJob();
    let lost = 0;
    const remove = installation.clients.rule((passage) => {
      if (!isStartAnswer(passage) || lost > 0) return null;
      lost += 1;
      return "drop";
    });
    const first = await job.run(inputs());
    remove();
    const again = await job.run(inputs());
    expect([lost, first.code, again.code], first.stdout + again.stdout).toEqual([1, 0, 0]);
    expect(again.outputs["id"]).toBe(first.outputs["id"]);
    job.environment["GITHUB_RUN_ATTEMPT"] = "2";
    const next = await job.run(inputs({ follow: "false" }));
    expect(next).toMatchObject({ code: 0, outputs: { version: "2" } });
    expect((await deployments()).map(({ version }) => version)).toEqual([2, 1]);
    // It does not cancel what it was told not to wait for.
    expect((await job.post(inputs())).stdout).toBe("");
    expect(await installation.api.ended(next.outputs["id"] ?? "")).toMatchObject({ status: "live" });
  });

  it("cancels its deployment after the input timeout", async () => {
    await site.source.gate.hold("build");
    const job = await newJob();
    const { code, commands, outputs } = await job.run(inputs({ timeout: "0.05" }));
    expect({ code, status: outputs["status"] }).toEqual({ code: 1, status: "canceled" });
    expect(named(commands, "error")).toEqual([expect.stringContaining("longer than the input timeout")]);
    await site.source.gate.open();
    expect(await installation.api.ended(outputs["id"] ?? "")).toMatchObject({ status: "canceled" });
  });

  it("fails and leaves the deployment if a freeze holds it", async () => {
    const times = { type: "once", from: "2026-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" };
    const freeze = { name: "Launch", project_id: site.projectId, times };
    expect((await installation.api.call("POST", "/v1/freezes", freeze)).status).toBe(201);
    const job = await newJob();
    const { code, commands, outputs, summary } = await job.run(inputs());
    expect({ code, status: outputs["status"] }).toEqual({ code: 1, status: "held" });
    expect(named(commands, "error")).toEqual([
      expect.stringMatching(/^v1 is held and starts later: it waits for the end of the freeze/),
    ]);
    expect(summary).toContain("v1 is held");
    expect((await job.post(inputs())).stdout).toBe("");
    expect(await installation.api.getDeployment(outputs["id"] ?? "")).toMatchObject({ status: "building" });
  });

  it("gets another token when its token expires during the deployment", async () => {
    const job = await newJob();
    await job.run(inputs({ project: "none" }));
    const temporary = job.environment["RUNNER_TEMP"] ?? "";
    const [name = ""] = await readdir(temporary);
    const path = join(temporary, name);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    // It is not used in its last minute, which begins in a moment.
    const token = { ...JSON.parse(await readFile(path, "utf8")), expires_at: Date.now() + 61_500 };
    await writeFile(path, JSON.stringify(token));
    await site.source.gate.hold("build");
    const step = job.start(inputs());
    await site.source.gate.reached("build");
    const masks = () => step.output().match(/^::add-mask::/gm)?.length;
    await expect.poll(masks).toBe(2);
    await site.source.gate.open();
    expect(await step.ended).toMatchObject({ code: 0, outputs: { status: "live" } });
  });

  it("finds a project by its name, if its token may read names, and shows its site", async () => {
    const job = await newJob();
    const byName = inputs({ project: site.name });
    const refused = await job.run(byName);
    expect(named(refused.commands, "error")).toEqual([
      expect.stringContaining("It is for one project: remove the input project"),
    ]);
    await installation.api.call("DELETE", `/v1/trust-rules/${rule.id}`);
    rule = await trust({ scopes: ["deployments:write", "projects:read"] });
    const other = await newJob();
    const wrong = await other.run(inputs({ project: `${site.name}x` }));
    expect(named(wrong.commands, "error")).toEqual([expect.stringContaining(`Did you mean ${site.name}?`)]);
    const none = await other.run(inputs());
    expect(named(none.commands, "error")).toEqual([expect.stringContaining("Set the input project")]);
    const { code, outputs, summary } = await other.run(inputs({ project: site.name, branch: "main" }));
    const { url } = await installation.api.getProject(site.projectId);
    expect({ code, site: outputs["site"] }).toEqual({ code: 0, site: url });
    expect(await marked.parse(summary)).toContain(`${site.name} v1 is live`);
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
    const job = await newJob();
    for (const [given, environment, message] of refused) {
      const before = { ...job.environment };
      Object.assign(job.environment, environment);
      const { code, commands } = await job.run(inputs(given));
      Object.assign(job.environment, before);
      expect({ code, errors: named(commands, "error") }).toEqual({
        code: 1,
        errors: [expect.stringContaining(message)],
      });
    }
    expect(await deployments()).toEqual([]);
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
