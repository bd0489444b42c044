import type { Event } from "#contract/endpoints/events/schemas.ts";
import { repositoryKey } from "#contract/forge.ts";
import type { AccountId } from "#contract/ids.ts";
import { isAboutDeployment } from "#domain/notify/deployment-message.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { logFailure } from "#worker/log-failure.ts";
import { askingServices } from "#worker/objects/shared/asking-services.ts";
import { askForRepository, canRead } from "#worker/operations/repositories/ask-for-repository.ts";

const ASK_MS = 4_000;

/**
 * Why nothing may be written to the repository of an event with the token of a webhook, as a sentence; null: it may.
 * Anybody who may change a project can name any repository, and the token can write to all that its owner can. So the
 * project's server must have read the repository. If that is not known, it is asked. Never throws.
 */
export async function repositoryProblem(
  env: Env,
  accountId: AccountId,
  event: Event,
): Promise<string | null> {
  if (!isAboutDeployment(event)) return null;
  const { id, repository } = event.data.project;
  const rows = new AccountRows(env.DB, accountId);
  try {
    const project = await findProject(rows, id);
    const key = repositoryKey(repository);
    if (project?.readRepository === key) return null;
    if (project === null || repositoryKey(project.repository) !== key)
      return "The project no longer has this repository.";
    const asked = await askForRepository({ ...askingServices(env), rows }, project, {}, ASK_MS);
    return asked.ok && canRead(asked.value) ? null : UNREAD;
  } catch (error) {
    logFailure("outlet", { what: "check the repository", event_id: event.id }, error);
    return UNREAD;
  }
}

const UNREAD = "The project's server has not read the repository yet, so nothing is sent about it.";
