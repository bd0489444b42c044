import type { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { judgeDomain } from "#domain/judge-domain.ts";
import type { Context } from "#worker/context.ts";
import { findProjectDomains } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";

/** Asks a project's server where the project's host names lead. */
export async function checkDomains(
  context: Context,
  id: ProjectId,
): Promise<Result<DomainChecks, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findProjectDomains(context.rows, id);
  if (project === null) return notFound("project");
  const { serverIp } = project;
  if (serverIp === null) return notFound("server");
  const names = [project.domain, ...project.settings.aliases.map(({ domain }) => domain)];
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "check_domains", request_id, project_id, domains: names } as const;
  const answer = await askAgent(context, project, request);
  if (!answer.ok) return answer;
  const found = new Map(answer.value.domains.map((lookup) => [lookup.domain, lookup]));
  return succeed({
    server_ip: serverIp,
    domains: names.map((name) => judgeDomain(name, found.get(name) ?? null, serverIp)),
  });
}
