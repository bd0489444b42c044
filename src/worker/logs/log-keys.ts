import * as z from "zod/mini";

import { AccountId, DeploymentId, ProjectId } from "#contract/ids.ts";

/** Identifies a log. The keys of its objects begin with all three ids, so one prefix lists them. */
export type LogOwner = { accountId: AccountId; projectId: ProjectId; deploymentId: DeploymentId };

/** The prefix of all log keys. */
export const LOGS_PREFIX = "logs/";

export const projectPrefixOf = ({ accountId, projectId }: Omit<LogOwner, "deploymentId">) =>
  `${LOGS_PREFIX}${accountId}/${projectId}/`;
export const prefixOf = (owner: LogOwner) => `${projectPrefixOf(owner)}${owner.deploymentId}/`;
export const partKey = (owner: LogOwner, firstLine: number) =>
  `${prefixOf(owner)}part-${String(firstLine).padStart(9, "0")}`;
export const wholeKey = (owner: LogOwner) => `${prefixOf(owner)}log.ndjson`;

const LogPath = z.tuple([z.literal("logs"), AccountId, ProjectId, DeploymentId, z.string()]);

/** The log that an object belongs to, from its key; null if it belongs to none. */
export function ownerOfKey(key: string): LogOwner | null {
  const path = LogPath.safeParse(key.split("/"));
  if (!path.success) return null;
  const [, accountId, projectId, deploymentId] = path.data;
  return { accountId, projectId, deploymentId };
}
