import type { RepositoryTestCode } from "#contract/endpoints/projects/repository-access.ts";
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

/** Git hosts wait 10 seconds for an answer. */
const TIMEOUT_MS = 6_000;

/**
 * Asks the servers of the projects that have not read their repository yet, all at once. Anybody who may change a project
 * can name any repository: only one that the project's server can read may show it pushes, and start deployments.
 */
export async function askForRepositories(
  services: AskingServices,
  projects: readonly PushedProject[],
): Promise<AskedProject[]> {
  return await Promise.all(
    projects.map(async (found) => ({
      ...found,
      unread: found.isRead ? null : await whyUnread(services, found),
    })),
  );
}

async function whyUnread(services: AskingServices, { project }: PushedProject): Promise<string | null> {
  const asked = await askForRepository(services, project, {}, TIMEOUT_MS);
  if (!asked.ok) return unreadText(asked.refusal.code);
  const result = asked.value;
  return result.ok || canRead(result) ? null : unreadText(result.code);
}

/** The git host shows it to its users, so it has no more than the code. */
function unreadText(code: RepositoryTestCode | "server_offline" | "agent_outdated" | "unavailable"): string {
  return `The project's server has not read this repository yet (${code}). The push is decided when it can.`;
}
