import { afterAll, beforeAll, beforeEach } from "vitest";

import { TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { createInstallation, type Installation } from "../../cli/support/installation.ts";
import { createSite, type Site } from "../../support/faults/site.ts";
import { type JobIssuer, startJobIssuer } from "../../support/job-issuer.ts";
import { createRunner, type Job, type Printed } from "./fake-runner.ts";

const claims = {
  ...{ project_id: "7", job_project_id: "7", ref_path: "refs/heads/main" },
  ...{ ref_protected: "true", pipeline_source: "push" },
};

/** An installation with a project for each test, and a runner whose jobs a rule trusts. Call it at the top of a test file. */
export function useJobs() {
  let installation: Installation;
  let issuer: JobIssuer;
  let runner: Awaited<ReturnType<typeof createRunner>>;
  let site: Site;
  let rule: TrustRule | null = null;
  let sites = 0;

  /** Replaces the rule. */
  async function trust(more: object): Promise<void> {
    if (rule !== null) await installation.api.call("DELETE", `/v1/trust-rules/${rule.id}`);
    const input = {
      ...{ name: `shop ${sites}`, provider: "gitlab", issuer: issuer.url, subject: "7" },
      ...{ claims: { ref_path: ["refs/heads/main"] }, scopes: ["deployments:write"], ...more },
    };
    rule = TrustRule.parse((await installation.api.call("POST", "/v1/trust-rules", input)).json);
  }

  beforeAll(async () => {
    [installation, issuer] = await Promise.all([createInstallation(), startJobIssuer()]);
    runner = await createRunner((audience) => issuer.token(audience, claims));
  });
  afterAll(async () => {
    issuer.close();
    await runner.close();
    await installation.stop();
  });
  beforeEach(async () => {
    sites += 1;
    site = await createSite(installation, installation.host, `action-${sites}`);
    await trust({ project_ids: [site.projectId] });
  });

  return {
    trust,
    get installation() {
      return installation;
    },
    get site() {
      return site;
    },
    get ruleName() {
      return rule?.name;
    },
    /** The inputs of each step: the proxy between the job and the Worker, and the audience of the rule. */
    inputs: (more: Record<string, string> = {}) => ({
      ...{ url: installation.clients.url, audience: rule?.audience ?? "", ...more },
    }),
    /** @param sha the commit of the job; by default the newest */
    newJob: async (sha = [...site.source.commits.keys()].at(-1) ?? ""): Promise<Job> =>
      await runner.newJob(sha),
    deployments: async () => await installation.api.listDeployments(site.projectId),
  };
}

/** The values of the workflow commands with a name. */
export const named = (commands: readonly Printed[], name: string) =>
  commands.filter((one) => one.name === name).map(({ value }) => value);
