import { accountSchemas } from "#contract/endpoints/accounts/texts.ts";
import { auditSchemas } from "#contract/endpoints/audit/texts.ts";
import { agentSchemas } from "#contract/endpoints/agents/texts.ts";
import { artifactSchemas } from "#contract/endpoints/artifacts/texts.ts";
import { deploymentSchemas } from "#contract/endpoints/deployments/texts.ts";
import { freezeSchemas } from "#contract/endpoints/freezes/texts.ts";
import { logSchemas } from "#contract/endpoints/logs/texts.ts";
import { outputSchemas } from "#contract/endpoints/output/texts.ts";
import { commandSchemas } from "#contract/endpoints/commands/texts.ts";
import { cronSchemas } from "#contract/endpoints/cron/texts.ts";
import { eventSchemas } from "#contract/endpoints/events/schema-texts.ts";
import { hookSchemas } from "#contract/endpoints/hooks/texts.ts";
import { memberSchemas } from "#contract/endpoints/members/texts.ts";
import { connectionSchemas } from "#contract/endpoints/connections/texts.ts";
import { connectSchemas } from "#contract/endpoints/connect/texts.ts";
import { profileSchemas } from "#contract/endpoints/profile/texts.ts";
import { processSchemas } from "#contract/endpoints/processes/texts.ts";
import { trustRuleSchemas } from "#contract/endpoints/trust-rules/texts.ts";
import { trafficSchemas } from "#contract/endpoints/traffic/texts.ts";
import { problemSchemas } from "#contract/reference/schemas/problems.ts";
import { projectSchemas } from "#contract/endpoints/projects/schema-texts.ts";
import type { SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { serverSchemas } from "#contract/endpoints/servers/texts.ts";
import { sessionSchemas } from "#contract/endpoints/sessions/texts.ts";
import { variableSchemas } from "#contract/endpoints/variables/texts.ts";
import { domainSchemas } from "#contract/endpoints/domains/texts.ts";
import { webhookSchemas } from "#contract/endpoints/webhooks/schema-texts.ts";
import { tokenSchemas } from "#contract/endpoints/tokens/texts.ts";

/** Every schema that has a name in the API reference. */
export const schemaTexts: Readonly<Record<string, SchemaText>> = {
  ...deploymentSchemas,
  ...artifactSchemas,
  ...logSchemas,
  ...projectSchemas,
  ...domainSchemas,
  ...variableSchemas,
  ...processSchemas,
  ...trafficSchemas,
  ...outputSchemas,
  ...commandSchemas,
  ...cronSchemas,
  ...freezeSchemas,
  ...hookSchemas,
  ...serverSchemas,
  ...eventSchemas,
  ...webhookSchemas,
  ...auditSchemas,
  ...tokenSchemas,
  ...sessionSchemas,
  ...memberSchemas,
  ...profileSchemas,
  ...connectionSchemas,
  ...connectSchemas,
  ...trustRuleSchemas,
  ...accountSchemas,
  ...problemSchemas,
  ...agentSchemas,
};
