import { approvalEndpoints } from "#contract/endpoints/deployments/approval-endpoints.ts";
import { artifactEndpoints } from "#contract/endpoints/artifacts/endpoints.ts";
import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import { connectionEndpoints } from "#contract/endpoints/connections/endpoints.ts";
import { connectEndpoints } from "#contract/endpoints/connect/endpoints.ts";
import { cronEndpoints } from "#contract/endpoints/cron/endpoints.ts";
import { domainEndpoints } from "#contract/endpoints/domains/endpoints.ts";
import { eventEndpoints } from "#contract/endpoints/events/endpoints.ts";
import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import { memberEndpoints } from "#contract/endpoints/members/endpoints.ts";
import { outputEndpoints } from "#contract/endpoints/output/endpoints.ts";
import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import { profileEndpoints } from "#contract/endpoints/profile/endpoints.ts";
import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { trafficEndpoints } from "#contract/endpoints/traffic/endpoints.ts";
import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import { variableEndpoints } from "#contract/endpoints/variables/endpoints.ts";

/** Every endpoint for users of the API, by operation name. */
export const userEndpoints = {
  ...clientEndpoints,
  ...approvalEndpoints,
  ...projectChangeEndpoints,
  ...artifactEndpoints,
  ...domainEndpoints,
  ...processEndpoints,
  ...outputEndpoints,
  ...trafficEndpoints,
  ...variableEndpoints,
  ...commandEndpoints,
  ...cronEndpoints,
  ...eventEndpoints,
  ...auditEndpoints,
  ...freezeEndpoints,
  ...hookEndpoints,
  ...webhookEndpoints,
  ...trustRuleEndpoints,
  ...memberEndpoints,
  ...connectionEndpoints,
  ...profileEndpoints,
  ...connectEndpoints,
};
