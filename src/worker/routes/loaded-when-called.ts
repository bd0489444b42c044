import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import { cronEndpoints } from "#contract/endpoints/cron/endpoints.ts";
import { domainEndpoints } from "#contract/endpoints/domains/endpoints.ts";
import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import { outputEndpoints } from "#contract/endpoints/output/endpoints.ts";
import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import { sessionEndpoints } from "#contract/endpoints/sessions/endpoints.ts";
import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { trafficEndpoints } from "#contract/endpoints/traffic/endpoints.ts";
import { variableEndpoints } from "#contract/endpoints/variables/endpoints.ts";
import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import type { OpenHandlers, TokenHandlers } from "#worker/http/handler.ts";
import { loadWhenCalled } from "#worker/http/load-when-called.ts";

// Each group of endpoints that few requests need. Another module may import these routes for types only: an import of a
// value brings them back into the first file (test/scripts/worker-bundle.test.ts).

const { receiveDelivery, ...hooks } = hookEndpoints;
const { createSession, endSession } = sessionEndpoints;
const { exchangeToken, ...trustRules } = trustRuleEndpoints;

/** Handlers for tokens that are loaded when the first of their group is called. */
export const rareTokenHandlers = {
  ...loadWhenCalled(auditEndpoints, async () => (await import("#worker/routes/audit.ts")).auditHandlers),
  ...loadWhenCalled(
    commandEndpoints,
    async () => (await import("#worker/routes/commands.ts")).commandHandlers,
  ),
  ...loadWhenCalled(cronEndpoints, async () => (await import("#worker/routes/cron.ts")).cronHandlers),
  ...loadWhenCalled(domainEndpoints, async () => (await import("#worker/routes/domains.ts")).domainHandlers),
  ...loadWhenCalled(freezeEndpoints, async () => (await import("#worker/routes/freezes.ts")).freezeHandlers),
  ...loadWhenCalled(hooks, async () => (await import("#worker/routes/hooks.ts")).hookHandlers),
  ...loadWhenCalled(outputEndpoints, async () => (await import("#worker/routes/output.ts")).outputHandlers),
  ...loadWhenCalled(
    processEndpoints,
    async () => (await import("#worker/routes/processes.ts")).processHandlers,
  ),
  ...loadWhenCalled({ endSession }, async () => (await import("#worker/routes/sessions.ts")).sessionHandlers),
  ...loadWhenCalled(
    trafficEndpoints,
    async () => (await import("#worker/routes/traffic.ts")).trafficHandlers,
  ),
  ...loadWhenCalled(
    trustRules,
    async () => (await import("#worker/routes/trust-rules.ts")).trustRuleHandlers,
  ),
  ...loadWhenCalled(
    variableEndpoints,
    async () => (await import("#worker/routes/variables.ts")).variableHandlers,
  ),
  ...loadWhenCalled(
    webhookEndpoints,
    async () => (await import("#worker/routes/webhooks.ts")).webhookHandlers,
  ),
} satisfies Partial<TokenHandlers>;

/** As `rareTokenHandlers`, for callers without a token. */
export const rareOpenHandlers = {
  ...loadWhenCalled(
    { createSession },
    async () => (await import("#worker/routes/sessions.ts")).signInHandlers,
  ),
  ...loadWhenCalled(
    { receiveDelivery },
    async () => (await import("#worker/routes/hooks.ts")).deliveryHandlers,
  ),
  ...loadWhenCalled(
    { exchangeToken },
    async () => (await import("#worker/routes/trust-rules.ts")).exchangeHandlers,
  ),
} satisfies Partial<OpenHandlers>;
