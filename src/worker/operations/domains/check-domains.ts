import type { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { judgeDomain } from "#domain/judge-domain.ts";
import type { Context } from "#worker/context.ts";
import { findProjectDomains } from "#worker/db/projects/find-project-domains.ts";
import { notFound } from "#worker/operations/refusals.ts";
import {
  askAgent,
  requestAbout,
  unavailable,
  WRONG_ANSWER,
} from "#worker/operations/repositories/ask-agent.ts";

/** The agent gives up after 5 s, after other checks that it makes. The dashboard waits for 20 s. */
const TIMEOUT_MS = 15_000;

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
  const answer = await askAgent(context, project, request, TIMEOUT_MS);
  if (!answer.ok) return answer;
  if (answer.value.type !== "domains_checked") return unavailable(WRONG_ANSWER);
  const found = new Map(answer.value.domains.map((lookup) => [lookup.domain, lookup]));
  return succeed({
    server_ip: serverIp,
    domains: names.map((name) => judgeDomain(name, found.get(name) ?? null, serverIp)),
  });
}
