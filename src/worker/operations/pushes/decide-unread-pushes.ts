import { forgeNames } from "#contract/endpoints/hooks/forge-names.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Services } from "#worker/context.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findHook } from "#worker/db/hooks/hook-records.ts";
import { findPushedProject } from "#worker/db/pushes/find-pushed-projects.ts";
import { decidedWrite, findUnreadPushes, type UnreadPush } from "#worker/db/pushes/push-records.ts";
import { askForRepositories } from "#worker/operations/pushes/ask-for-repositories.ts";
import {
  type Arrival,
  isUnavailable,
  rowsOfCaller,
  decidePushes,
} from "#worker/operations/pushes/decide-pushes.ts";

type Needed = Pick<Services, "lanes" | "links" | "near" | "origin" | "randomBytes" | "ids">;

/**
 * Decides about the pushes of a project that wait until its server has read the repository: of each branch and tag about
 * the newest. They keep waiting if the server cannot read it now either. Safe to repeat.
 * @param rows without a limit to projects: others see none of these pushes
 * @throws if D1 does not answer
 */
export async function decideUnreadPushes(
  services: Needed,
  rows: AccountRows,
  projectId: ProjectId,
): Promise<void> {
  for (const unread of await findUnreadPushes(rows, projectId)) {
    const decided = await decide(services, rows, projectId, unread);
    if (decided === "unread") return;
  }
}

/** @returns `never`: the hook or the project was deleted, or the project has another repository now */
async function decide(
  services: Needed,
  rows: AccountRows,
  projectId: ProjectId,
  { id, hookId, ref, before, after, headline, pusher, paths, ...row }: UnreadPush,
): Promise<"decided" | "unread" | "never"> {
  const hook = hookId === null ? null : await findHook(rows, hookId);
  if (hook === null || ref === null) return "never";
  const push = { ref, before, after, message: headline, pusher, paths };
  const arrived = { hookId, bodyHash: null, pushes: [push] };
  const found = await findPushedProject(rows, projectId, hook.repositoryKey, arrived);
  if (found === null) return "never";
  const [project] = await askForRepositories({ ...services, rows }, [found]);
  if (project === undefined || project.unread !== null) return "unread";
  const actor = {
    type: "hook",
    id: hook.id,
    name: `${pusher ?? "a push"}, ${forgeNames[hook.forge]}`,
  } as const;
  const { source, receivedAt, event, deliveryId } = row;
  const arrival: Arrival = {
    accountId: rows.accountId,
    origin: { hookId, source, receivedAt, event, deliveryId, bodyHash: null },
    repository: hook.repository,
    newRowId: () => id,
    repeated: "same_row",
    trigger: "push",
    actorOf: () => actor,
    person: null,
    requestKeyOf: () => `unread:${id}`,
    auditOf: () => ({
      ...{
        id: services.ids.auditEntry(),
        projectId,
        createdAt: receivedAt,
        actor,
        ip: null,
        requestId: null,
      },
      ...{ action: "receiveDelivery", outcome: "done", code: null, target: null, changes: null },
    }),
  };
  const taken = await decidePushes(services, arrival, [project], [push]);
  for (const decided of rowsOfCaller(taken.filter((one) => !isUnavailable(one))))
    await rows.run(decidedWrite(rows, decided));
  return "decided";
}
