import type { AgentContext } from "#agent/context/context.ts";
import { openRepositoryToken } from "#agent/secrets/open-variables.ts";
import { withToken } from "#agent/secrets/repository-token.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { SealedToken } from "#contract/agent-order.ts";
import type { ProjectId } from "#contract/ids.ts";

/** A repository's address with its login. `secrets`: what must be hidden in texts. */
export type OpenAddress =
  | { readonly ok: true; readonly repository: string; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly message: string };

type Sealed = {
  readonly project_id: ProjectId;
  readonly repository: string;
  readonly token?: SealedToken | undefined;
};

/** Opens the project's repository token, if the address needs it. */
export async function openAddress(
  { home, sealKey }: AgentContext,
  { project_id, repository, token }: Sealed,
): Promise<OpenAddress> {
  if (token === undefined) return { ok: true, repository, secrets: [] };
  const opened = await openRepositoryToken(projectFolder(home, project_id), sealKey, project_id, token);
  if (!opened.ok) return opened;
  return { ok: true, repository: withToken(repository, opened.value), secrets: [opened.value] };
}
