import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import * as z from "zod";

import { TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { root } from "../../scripts/shared/root.ts";
import { createCli } from "../cli/support/command.ts";
import { createInstallation, type Installation } from "../cli/support/installation.ts";
import { createSite, type Site } from "../support/faults/site.ts";
import { runShell } from "../support/run-shell.ts";
import { type JobIssuer, startJobIssuer } from "../support/job-issuer.ts";

/** What GitLab reads in a component and in a job of it. Source: GitLab, "CI/CD inputs" and "CI/CD YAML syntax reference". */
const Spec = z.strictObject({
  spec: z.strictObject({
    inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string().optional() })),
  }),
});
const GitLabJob = z.strictObject({
  stage: z.string(),
  image: z.string(),
  timeout: z.string(),
  rules: z.array(z.strictObject({ if: z.string() })),
  id_tokens: z.record(z.string(), z.strictObject({ aud: z.string() })),
  variables: z.record(z.string(), z.string()),
  script: z.array(z.string()),
  after_script: z.array(z.string()),
});

/** The jobs of the component with these inputs. */
async function includeComponent(inputs: Readonly<Record<string, string>>) {
  const text = await readFile(join(root, "templates", "deploy.yml"), "utf8");
  const [head = "", body = ""] = text.split(/^---$/m);
  const [first] = parseAllDocuments(head);
  const { inputs: declared } = Spec.parse(first?.toJS()).spec;
  const filled = body.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = inputs[name] ?? declared[name]?.default;
    if (value === undefined) throw new Error(`the input ${name} is missing`);
    return value;
  });
  const unknown = Object.keys(inputs).filter((name) => !(name in declared));
  const [jobs] = parseAllDocuments(filled);
  return { unknown, jobs: z.record(z.string(), GitLabJob).parse(jobs?.toJS()) };
}

const cli = createCli();
let installation: Installation;
let issuer: JobIssuer;
let site: Site;
let rule: TrustRule;
let sites = 0;

beforeAll(async () => {
  [installation, issuer] = await Promise.all([createInstallation(), startJobIssuer()]);
});
afterAll(async () => {
  issuer.close();
  await installation.stop();
});
beforeEach(async () => {
  sites += 1;
  site = await createSite(installation, installation.host, `gitlab-${sites}`);
  const input = {
    ...{ name: site.name, provider: "gitlab", issuer: issuer.url, subject: `${sites}` },
    ...{
      claims: { ref_path: ["refs/heads/main"] },
      scopes: ["deployments:write"],
      project_ids: [site.projectId],
    },
  };
  rule = TrustRule.parse((await installation.api.call("POST", "/v1/trust-rules", input)).json);
});

/** A job of GitLab with its one identity token. Each script runs in a new shell and, after the job was canceled, in a new home. */
async function createGitLabJob(sha: string) {
  const command = `${process.execPath} ${cli.program}`;
  // The audience is the address of the Worker itself.
  const { jobs, unknown } = await includeComponent({ url: rule.audience, command, project: site.projectId });
  expect(unknown).toEqual([]);
  const { deploy } = jobs;
  if (deploy === undefined) throw new Error("the component has no job named deploy");
  const folder = join(cli.home, site.name);
  await mkdir(folder, { recursive: true });
  const claims = {
    ...{ project_id: `${sites}`, job_project_id: `${sites}`, ref_path: "refs/heads/main" },
    ...{ ref_protected: "true", pipeline_source: "push" },
  };
  const tokens = Object.entries(deploy.id_tokens).map(([name, { aud }]) => [name, issuer.token(aud, claims)]);
  const start = (lines: readonly string[], home: string, more: NodeJS.ProcessEnv = {}) => {
    const child = spawn("bash", ["-c", `set -eo pipefail\n${lines.join("\n")}`], {
      cwd: folder,
      env: {
        ...{ PATH: process.env["PATH"], HOME: join(cli.home, home), GANTRY_KEYRING: "off" },
        ...{ CI: "true", GITLAB_CI: "true", CI_COMMIT_SHA: sha, CI_PROJECT_DIR: folder },
        ...Object.fromEntries(tokens),
        ...deploy.variables,
        ...more,
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    return { child, ended: once(child, "close").then(([code]: unknown[]) => ({ code, printed })) };
  };
  return {
    folder,
    script: () => start(deploy.script, "home"),
    after: async (status: "success" | "failed" | "canceled") =>
      await start(deploy.after_script, "new-home", { CI_JOB_STATUS: status }).ended,
  };
}

describe("the component for GitLab CI", () => {
  it("deploys the commit of the job, and follows it", async () => {
    const [sha = ""] = site.source.commits.keys();
    await site.source.commit();
    const job = await createGitLabJob(sha);
    const { code, printed } = await job.script().ended;
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining("v1 is live") });
    const [deployment] = await installation.api.listDeployments(site.projectId);
    expect(deployment).toMatchObject({ commit_sha: sha, status: "live" });
    expect(await job.after("success")).toEqual({ code: 0, printed: "" });
    expect(existsSync(`${job.folder}.tmp/gantry`)).toBe(false);
  });

  it("cancels its deployment when the job is canceled", async () => {
    const [sha = ""] = site.source.commits.keys();
    await site.source.gate.hold("build");
    const job = await createGitLabJob(sha);
    const { child, ended } = job.script();
    await site.source.gate.reached("build");
    const [running] = await installation.api.listDeployments(site.projectId);
    // From then on, the job can cancel it.
    const started = `${job.folder}.tmp/gantry/started.json`;
    await expect.poll(() => readFileSync(started, "utf8")).toContain(running?.id);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    const after = await job.after("canceled");
    expect(after, after.printed).toMatchObject({ code: 0, printed: expect.stringContaining("v1 is") });
    await site.source.gate.open();
    expect(await installation.api.ended(running?.id ?? "")).toMatchObject({ status: "canceled" });
  });

  it("needs the address, and then downloads the command from there", async () => {
    await expect(includeComponent({})).rejects.toThrow("url is missing");
    const { jobs } = await includeComponent({ url: "https://gantry.example.com" });
    expect(jobs["deploy"]?.id_tokens).toEqual({ GANTRY_ID_TOKEN: { aud: "https://gantry.example.com" } });
    const [first = ""] = jobs["deploy"]?.script ?? [];
    const env = { ...jobs["deploy"]?.variables };
    const { output } = await runShell(["sh", "-c", `${first}; echo "$GANTRY_COMMAND"`], { env });
    expect(output.trim()).toBe("npx --yes https://gantry.example.com/gantry.tgz");
  });
});
