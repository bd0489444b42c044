import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { agentTexts } from "#contract/endpoints/agents/operation-texts.ts";
import { deploymentTexts } from "#contract/endpoints/deployments/operation-texts.ts";
import { logTexts } from "#contract/endpoints/logs/operation-texts.ts";
import { projectTexts } from "#contract/endpoints/projects/operation-texts.ts";
import { serverTexts } from "#contract/endpoints/servers/operation-texts.ts";
import { sessionTexts } from "#contract/endpoints/sessions/operation-texts.ts";
import { tokenTexts } from "#contract/endpoints/tokens/operation-texts.ts";

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
