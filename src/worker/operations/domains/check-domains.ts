import type { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import { servesDomain } from "#contract/endpoints/projects/servers.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { judgeDomain } from "#domain/judge-domain.ts";
import type { Context } from "#worker/context.ts";
import { findProjectDomains } from "#worker/db/projects/find-project-domains.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";

/**
 * Asks a server that visitors should reach where the project's host names lead: a balancer, or the project's server. With a
 * balancer, only that knows about certificates.
 */
export async function checkDomains(
  context: Context,
  id: ProjectId,
): Promise<Result<DomainChecks, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findProjectDomains(context.rows, id);
  if (project === null) return notFound("project");
  const { serverIp, entryServers } = project;
  if (serverIp === null) return notFound("server");
  const { entry, servers } = settingsOf(project);
  const isBalanced = entry.type === "balancer";
  const wanted = isBalanced ? entry.balancers : servers.filter(servesDomain).map((server) => server.id);
  const reached = wanted.flatMap((one) => entryServers.find((server) => server.id === one) ?? []);
  const asked = isBalanced ? (reached.find(({ isConnected }) => isConnected === 1) ?? reached[0]) : undefined;
  const ips = reached.length === 0 ? [serverIp] : [...new Set(reached.map(({ ip }) => ip))];
  const names = [project.domain, ...project.settings.aliases.map(({ domain }) => domain)];
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "check_domains", request_id, project_id, domains: names } as const;
  // A balancer must not count as a server of the project.
  const agent =
    asked === undefined ? project : { id: null, serverId: asked.id, serverLocation: asked.location };
  const answer = await askAgent(context, agent, request);
  if (!answer.ok) return answer;
  const found = new Map(answer.value.domains.map((lookup) => [lookup.domain, lookup]));
  return succeed({
    server_ip: ips[0] ?? serverIp,
    server_ips: ips,
    domains: names.map((name) => judgeDomain(name, found.get(name) ?? null, { ips, isBalanced })),
  });
}
