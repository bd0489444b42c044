import type { RepositoryTestCode } from "#contract/endpoints/projects/repository-access.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { PushedProject } from "#worker/db/pushes/find-pushed-projects.ts";
import {
  askForRepository,
  type AskingServices,
  canRead,
} from "#worker/operations/repositories/ask-for-repository.ts";

/**
 * A project whose server has read the repository, or was asked for it. `unread`: why it cannot, as a sentence; null: it
 * has read it.
 */
export type AskedProject = PushedProject & { readonly unread: string | null };

/** Git hosts wait 10 seconds for an answer: no request begins later than this, or takes longer. */
const ASK_MS = 4_000;
/** An agent runs four tests at once, and somebody may run one. */
const MAX_AT_ONCE = 3;

/**
 * Asks the servers of the projects that have not read their repository yet. Anybody who may change a project can name
 * any repository: only a repository that the project's server can read may show it pushes, and start deployments.
 */
export async function askForRepositories(
  services: AskingServices,
  projects: readonly PushedProject[],
): Promise<AskedProject[]> {
  const ofServers = Map.groupBy(
    projects.filter(({ isRead }) => !isRead),
    ({ project }) => project.serverId,
  );
  const late = AbortSignal.timeout(ASK_MS);
  const reasons = new Map<ProjectId, string>();
  const asking = [...ofServers.values()].flatMap((waiting) => {
    const next = waiting.values();
    return Array.from({ length: MAX_AT_ONCE }, async () => {
      for (const found of next) {
        const reason = late.aborted ? unreadText("unavailable") : await whyUnread(services, found);
        if (reason !== null) reasons.set(found.project.id, reason);
      }
    });
  });
  await Promise.all(asking);
  return projects.map((found) => ({ ...found, unread: reasons.get(found.project.id) ?? null }));
}

async function whyUnread(services: AskingServices, { project }: PushedProject): Promise<string | null> {
  const asked = await askForRepository(services, project, {}, ASK_MS);
  if (!asked.ok) return unreadText(asked.refusal.code);
  const result = asked.value;
  return result.ok || canRead(result) ? null : unreadText(result.code);
}

/** The git host shows it to its users, so it has no more than the code. */
function unreadText(code: RepositoryTestCode | "server_offline" | "agent_outdated" | "unavailable"): string {
  return `The project's server has not read this repository yet (${code}). The push is decided when it can.`;
}
