import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { agentTexts } from "#contract/reference/operations/agent.ts";
import { deploymentTexts } from "#contract/reference/operations/deployments.ts";
import { logTexts } from "#contract/reference/operations/logs.ts";
import { projectTexts } from "#contract/reference/operations/projects.ts";
import { serverTexts } from "#contract/reference/operations/servers.ts";
import { sessionTexts } from "#contract/reference/operations/sessions.ts";
import { tokenTexts } from "#contract/reference/operations/tokens.ts";

// Not in the endpoint table itself, because the Worker and every client carry that one along.

/** What the reference says of every operation. */
export const operationTexts: OperationTexts = {
  ...deploymentTexts,
  ...logTexts,
  ...projectTexts,
  ...serverTexts,
  ...tokenTexts,
  ...sessionTexts,
  ...agentTexts,
};
