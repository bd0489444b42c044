import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { accountTexts } from "#contract/endpoints/accounts/texts.ts";
import { artifactTexts } from "#contract/endpoints/artifacts/texts.ts";
import { auditTexts } from "#contract/endpoints/audit/texts.ts";
import { agentTexts } from "#contract/endpoints/agents/texts.ts";
import { deploymentTexts } from "#contract/endpoints/deployments/texts.ts";
import { domainTexts } from "#contract/endpoints/domains/texts.ts";
import { freezeTexts } from "#contract/endpoints/freezes/texts.ts";
import { logTexts } from "#contract/endpoints/logs/texts.ts";
import { memberTexts } from "#contract/endpoints/members/texts.ts";
import { profileTexts } from "#contract/endpoints/profile/texts.ts";
import { outputTexts } from "#contract/endpoints/output/texts.ts";
import { connectTexts } from "#contract/endpoints/connect/texts.ts";
import { commandTexts } from "#contract/endpoints/commands/texts.ts";
import { cronTexts } from "#contract/endpoints/cron/texts.ts";
import { eventTexts } from "#contract/endpoints/events/texts.ts";
import { hookTexts } from "#contract/endpoints/hooks/texts.ts";
import { processTexts } from "#contract/endpoints/processes/texts.ts";
import { projectTexts } from "#contract/endpoints/projects/texts.ts";
import { serverTexts } from "#contract/endpoints/servers/texts.ts";
import { sessionTexts } from "#contract/endpoints/sessions/texts.ts";
import { trustRuleTexts } from "#contract/endpoints/trust-rules/texts.ts";
import { connectionTexts } from "#contract/endpoints/connections/texts.ts";
import { trafficTexts } from "#contract/endpoints/traffic/texts.ts";
import { variableTexts } from "#contract/endpoints/variables/texts.ts";
import { webhookTexts } from "#contract/endpoints/webhooks/texts.ts";
import { tokenTexts } from "#contract/endpoints/tokens/texts.ts";
import type { Tag } from "#contract/reference/tags.ts";

// Separate from the endpoint table, because the Worker and every client bundle the table but not these texts.

/** The texts of each section's operations, by the section's tag. */
export const sections = {
  Deployments: { ...deploymentTexts, ...artifactTexts, ...logTexts },
  Projects: { ...projectTexts, ...domainTexts },
  Processes: { ...processTexts, ...trafficTexts, ...outputTexts },
  Commands: commandTexts,
  Cron: cronTexts,
  Pushes: hookTexts,
  Variables: variableTexts,
  Freezes: freezeTexts,
  Servers: serverTexts,
  Events: eventTexts,
  Webhooks: webhookTexts,
  Audit: auditTexts,
  Tokens: { ...tokenTexts, ...sessionTexts, ...connectTexts },
  Members: memberTexts,
  Profile: profileTexts,
  Connections: connectionTexts,
  Trust: trustRuleTexts,
  Account: accountTexts,
  Agent: agentTexts,
} as const satisfies Record<Tag, Partial<OperationTexts>>;

export const operationTexts: OperationTexts = {
  ...sections.Deployments,
  ...sections.Projects,
  ...sections.Processes,
  ...sections.Commands,
  ...sections.Cron,
  ...sections.Pushes,
  ...sections.Variables,
  ...sections.Freezes,
  ...sections.Servers,
  ...sections.Events,
  ...sections.Webhooks,
  ...sections.Audit,
  ...sections.Tokens,
  ...sections.Members,
  ...sections.Profile,
  ...sections.Connections,
  ...sections.Trust,
  ...sections.Account,
  ...sections.Agent,
};
