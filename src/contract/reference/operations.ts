import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { accountTexts } from "#contract/endpoints/accounts/texts.ts";
import { agentTexts } from "#contract/endpoints/agents/texts.ts";
import { deploymentTexts } from "#contract/endpoints/deployments/texts.ts";
import { logTexts } from "#contract/endpoints/logs/texts.ts";
import { projectTexts } from "#contract/endpoints/projects/texts.ts";
import { serverTexts } from "#contract/endpoints/servers/texts.ts";
import { sessionTexts } from "#contract/endpoints/sessions/texts.ts";
import { tokenTexts } from "#contract/endpoints/tokens/texts.ts";

// Separate from the endpoint table, because the Worker and every client bundle the table but not these texts.

/** The text of every operation in the API reference. */
export const operationTexts: OperationTexts = {
  ...deploymentTexts,
  ...logTexts,
  ...projectTexts,
  ...serverTexts,
  ...tokenTexts,
  ...sessionTexts,
  ...accountTexts,
  ...agentTexts,
};
