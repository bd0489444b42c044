import * as z from "zod/mini";

import { AccountId, DeploymentId, ProjectId } from "#contract/ids.ts";

/** Whose log it is; the key of each of its objects begins with all three, so that one prefix finds them. */
export type LogOwner = { accountId: AccountId; projectId: ProjectId; deploymentId: DeploymentId };

/** What the keys of all logs begin with. */
export const LOGS_PREFIX = "logs/";

export const projectPrefixOf = ({ accountId, projectId }: Omit<LogOwner, "deploymentId">) =>
  `${LOGS_PREFIX}${accountId}/${projectId}/`;
export const prefixOf = (owner: LogOwner) => `${projectPrefixOf(owner)}${owner.deploymentId}/`;
export const partKey = (owner: LogOwner, firstLine: number) =>
  `${prefixOf(owner)}part-${String(firstLine).padStart(9, "0")}`;
export const wholeKey = (owner: LogOwner) => `${prefixOf(owner)}log.ndjson`;

const LogPath = z.tuple([z.literal("logs"), AccountId, ProjectId, DeploymentId, z.string()]);

/** Whose log an object is of, by its key; null where it is of none. */
export function ownerOfKey(key: string): LogOwner | null {
  const path = LogPath.safeParse(key.split("/"));
  if (!path.success) return null;
  const [, accountId, projectId, deploymentId] = path.data;
  return { accountId, projectId, deploymentId };
}
