import type { Context as HonoContext } from "hono";

import { createIdGenerator } from "#contract/ids.ts";
import { planLimits } from "#domain/plan-limits.ts";
import type { AgentRequestContext, Services } from "#worker/context.ts";
import { DatabaseHealth } from "#worker/db/database-health.ts";
import { OpenStreams } from "#worker/following/open-streams.ts";
import { type AppEnv, createApp } from "#worker/http/app.ts";
import { requireHttps } from "#worker/http/require-https.ts";
import { Authentication } from "#worker/http/find-caller.ts";
import { registerFallback } from "#worker/http/fallback.ts";
import { authenticateAgent, allowAnyone, authenticateToken } from "#worker/http/authenticate.ts";
import { checkFields } from "#worker/http/check-fields.ts";
import { commonHeaders } from "#worker/http/common-headers.ts";
import { onceWithKey } from "#worker/http/idempotency/answer-once.ts";
import { recordRequests } from "#worker/http/record-requests.ts";
import { registerRoutes } from "#worker/http/register-routes.ts";
import type { AgentRoutes, OpenRoutes, TokenRoutes } from "#worker/http/routes.ts";
import { noteTokenUses } from "#worker/http/note-token-uses.ts";
import { agentRoutes } from "#worker/routes/agent.ts";
import { routeAgentArtifacts } from "#worker/routes/agent-artifacts.ts";
import { routePrograms } from "#worker/routes/programs.ts";
import { routeAgentConnect } from "#worker/routes/connect-agent.ts";
import { routeDashboard } from "#worker/routes/dashboard.ts";
import { deploymentRoutes } from "#worker/routes/deployments.ts";
import { createHealthRoutes } from "#worker/routes/health.ts";
import { routeReference } from "#worker/routes/reference.ts";
import { lazyOpenRoutes, lazyTokenRoutes } from "#worker/routes/loaded-when-called.ts";
import { routeSecurityText } from "#worker/routes/security-text.ts";
import { canSendMail, sendMail } from "#worker/mail/send-mail.ts";
import { inJurisdiction, jurisdictionOf, near } from "#worker/objects/location.ts";
import { targetRule, urlProblem } from "#worker/objects/outlet/target-rule.ts";

export { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
export { EventFeed } from "#worker/objects/event-feed/event-feed.ts";
export { Outlet } from "#worker/objects/outlet/outlet.ts";
export { ProjectLane } from "#worker/objects/project-lane/project-lane.ts";

const clock = { now: () => Date.now() };
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const ids = createIdGenerator({ now: clock.now, randomBytes });
const authentication = new Authentication();
const streams = new OpenStreams();

function servicesOf(c: HonoContext<AppEnv>): Services {
  const { env } = c;
  return {
    clock,
    ids,
    randomBytes,
    lanes: env.PROJECT_LANE,
    links: env.AGENT_LINK,
    feeds: env.EVENT_FEED,
    outlets: env.OUTLET,
    jurisdiction: jurisdictionOf(env),
    near: (location) => near(location, env),
    logs: env.LOGS,
    streams,
    baseDomain: env.BASE_DOMAIN,
    limits: planLimits(env.WORKERS_PLAN),
    origin: c.get("origin"),
    targetProblem: (url) => urlProblem(url, targetRule(env, c.get("origin"))),
    mail: canSendMail(env) ? (mail) => sendMail(env, JSON.stringify(mail)) : null,
    defer: (work) => c.executionCtx.waitUntil(work),
  };
}

// These types require all endpoints of the table, so an endpoint without a handler does not compile.
const tokenRoutes: TokenRoutes = {
  ...deploymentRoutes,
  ...lazyTokenRoutes,
};
const openRoutes: OpenRoutes = {
  ...createHealthRoutes(new DatabaseHealth()),
  ...lazyOpenRoutes,
};

const app = createApp();
app.use(commonHeaders({ randomBytes, clock }));
app.use(requireHttps);
app.use(noteTokenUses(clock));
app.use(recordRequests(clock, ids));
registerRoutes(app, tokenRoutes, authenticateToken(authentication, servicesOf), checkFields(onceWithKey));
registerRoutes<keyof AgentRoutes, AgentRequestContext>(
  app,
  agentRoutes,
  authenticateAgent(authentication, servicesOf),
);
registerRoutes(app, openRoutes, allowAnyone(servicesOf));
routeAgentConnect(app, authentication, clock);
routeAgentArtifacts(app, authentication, clock);
routeReference(app);
routePrograms(app);
routeDashboard(app);
routeSecurityText(app, clock);
registerFallback(app);

export default {
  fetch: (request, env, ctx) => app.fetch(request, inJurisdiction(env), ctx),
  scheduled: async (_controller, env) => {
    // Loaded by the isolate that the cron trigger runs in.
    const { runSchedule } = await import("#worker/schedule/run-schedule.ts");
    await runSchedule(inJurisdiction(env), clock);
  },
} satisfies ExportedHandler<Env>;
