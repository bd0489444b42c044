import { statfs } from "node:fs/promises";

import { readDesired } from "#agent/apps/desired.ts";
import { cachesSize } from "#agent/cache/caches-size.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { policyLevel } from "#agent/policy/policy-level.ts";
import { ingressProblem, limitReports, reportProject } from "#agent/report/project-report.ts";
import { reportContainers } from "#agent/report/report-containers.ts";
import { reportDeployKeys } from "#agent/report/report-keys.ts";
import { hasIngress, ingressProblemOf } from "#agent/ingress/has-ingress.ts";
import { leadsToApp, readSite } from "#agent/ingress/site-file.ts";
import { imageSizes, sumOf } from "#agent/workspace/images-size.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import {
  type ActiveRun,
  ARTIFACTS,
  IMAGES,
  FLEET,
  type FromAgent,
  MAX_REPORTED_PROJECTS,
  PROTOCOL_VERSION,
} from "#contract/agent-protocol.ts";
import { requestTypes } from "#contract/agent-requests.ts";
import { MAX_IMAGE_REPORTS } from "#contract/endpoints/servers/schemas.ts";
import { pause } from "#contract/lib/pause.ts";

const TOOLS_MS = 2_000;

/** What the server has and serves now: the content of a `status`, and part of a `hello`. */
export async function reportServer(context: AgentContext) {
  return {
    disk: await disk(context),
    isolation: context.isolation.kind,
    policy: policyLevel(context.policy),
    tools: await tools(context),
    containers: reportContainers(context),
    ...ingressProblem(ingressProblemOf(context, await hasApps(context)) ?? context.ingress.fleetProblem()),
    ...(await reportFleet(context)),
    projects: await projects(context),
  };
}

/** What other servers need to know, and what this one knows of them. */
async function reportFleet({ ingress }: AgentContext) {
  const fleet = await ingress.reportFleet();
  const balance = ingress.reportBalance();
  return { ...(fleet === null ? {} : { fleet }), ...(balance === null ? {} : { balance }) };
}

/** Whether the domain of a project should lead to instances. Asked only if nothing of Gantry's could lead it there. */
async function hasApps(context: AgentContext): Promise<boolean> {
  if (hasIngress(context)) return false;
  const all = await listProjects(context.home);
  return (await Promise.all(all.map(({ folder }) => readSite(folder)))).some(leadsToApp);
}

/** @param runs what the agent has not reported the end of */
export async function reportHello(
  context: AgentContext,
  runs: ActiveRun[],
): Promise<Extract<FromAgent, { type: "hello" }>> {
  const all = await listProjects(context.home);
  return {
    type: "hello",
    protocol: PROTOCOL_VERSION,
    agent_version: AGENT_VERSION,
    capabilities: [...requestTypes, FLEET, ARTIFACTS, IMAGES],
    ...(await reportServer(context)),
    runs,
    seal_key: context.sealKey.shown,
    deploy_keys: await reportDeployKeys(
      context,
      all.map(({ id }) => id),
    ),
  };
}

async function projects(context: AgentContext) {
  const all = (await listProjects(context.home)).slice(0, MAX_REPORTED_PROJECTS);
  const hasInstances = all.some(({ folder }) => readDesired(folder) !== null);
  const listed = hasInstances ? await context.supervisor.list(null) : null;
  const supervised = listed?.ok === true ? listed.value : [];
  return limitReports(await Promise.all(all.map(({ id }) => reportProject(context, id, supervised))));
}

/** Reading the versions takes part of a second, and more on a busy server. */
async function tools(context: AgentContext) {
  await Promise.race([context.tools.list(), pause(TOOLS_MS)]);
  return context.tools.latest ?? undefined;
}

async function disk({ home }: AgentContext) {
  const { blocks, bavail, bsize } = await statfs(home);
  const images = await imageSizes(home);
  return {
    total_bytes: blocks * bsize,
    free_bytes: bavail * bsize,
    cache_bytes: await cachesSize(home),
    image_bytes: sumOf(images),
    images: images.slice(0, MAX_IMAGE_REPORTS),
  };
}
