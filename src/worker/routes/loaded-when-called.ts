import { loadWhenCalled } from "#worker/http/load-when-called.ts";
import type { OpenRoutes, TokenRoutes } from "#worker/http/routes.ts";

// The handlers of a group are loaded together with the schemas of its endpoints. A group is here if few requests need it,
// as for a way to sign in, or if it is large and only people's requests need it: the objects and the agents' requests
// start without it. Another module of the first file may import these routes, and the rows of their endpoints, for types
// only: an import of a value brings them back into the first file (test/scripts/worker-bundle.test.ts).

/** Routes for tokens that are loaded when the first of their group is called. */
export const lazyTokenRoutes = {
  ...loadWhenCalled(
    ["uploadArtifactPart"],
    async () => (await import("#worker/routes/artifacts.ts")).artifactRoutes,
  ),
  ...loadWhenCalled(
    ["listAuditEntries", "listAuditSeals", "listAuditSealCopies"],
    async () => (await import("#worker/routes/audit.ts")).auditRoutes,
  ),
  ...loadWhenCalled(
    ["runCommand", "listCommands", "getCommand", "getCommandOutput", "stopCommand"],
    async () => (await import("#worker/routes/commands.ts")).commandRoutes,
  ),
  ...loadWhenCalled(
    ["listCronJobs", "getCronJob", "runCronJob", "getCronOutput", "stopCronRun"],
    async () => (await import("#worker/routes/cron.ts")).cronRoutes,
  ),
  ...loadWhenCalled(
    ["connectCommand"],
    async () => (await import("#worker/routes/connect.ts")).connectRoutes,
  ),
  ...loadWhenCalled(["checkDomains"], async () => (await import("#worker/routes/domains.ts")).domainRoutes),
  ...loadWhenCalled(
    ["getAccount", "updateAccount"],
    async () => (await import("#worker/routes/account.ts")).accountRoutes,
  ),
  ...loadWhenCalled(["getDeploymentLog"], async () => (await import("#worker/routes/logs.ts")).logRoutes),
  ...loadWhenCalled(
    ["listEvents", "getEvent"],
    async () => (await import("#worker/routes/events.ts")).eventRoutes,
  ),
  ...loadWhenCalled(
    ["listFreezes", "createFreeze", "getFreeze", "updateFreeze", "deleteFreeze"],
    async () => (await import("#worker/routes/freezes.ts")).freezeRoutes,
  ),
  ...loadWhenCalled(
    [
      "listHooks",
      "createHook",
      "getHook",
      "rotateHook",
      "deleteHook",
      "listHookPushes",
      "replayPush",
      "listProjectPushes",
    ],
    async () => (await import("#worker/routes/hooks.ts")).hookRoutes,
  ),
  ...loadWhenCalled(["getOutput"], async () => (await import("#worker/routes/output.ts")).outputRoutes),
  ...loadWhenCalled(
    ["getProcesses", "updateProcess", "restartProcess", "stopProcess", "startProcess", "applyConfig"],
    async () => (await import("#worker/routes/processes.ts")).processRoutes,
  ),
  ...loadWhenCalled(
    [
      "listProjects",
      "createProject",
      "getProject",
      "updateProject",
      "getDeployKey",
      "testRepository",
      "deleteProject",
    ],
    async () => (await import("#worker/routes/projects.ts")).projectRoutes,
  ),
  ...loadWhenCalled(
    [
      "listMembers",
      "getMember",
      "updateMember",
      "removeMember",
      "createOwner",
      "listInvitations",
      "getInvitation",
      "createInvitation",
      "deleteInvitation",
    ],
    async () => (await import("#worker/routes/members.ts")).memberRoutes,
  ),
  ...loadWhenCalled(
    [
      "getProfile",
      "updateProfile",
      "addPasskey",
      "updatePasskey",
      "removePasskey",
      "addIdentity",
      "removeIdentity",
      "createRecoveryCodes",
      "listOwnTokens",
      "createOwnToken",
      "revokeOwnToken",
      "endOwnSessions",
    ],
    async () => (await import("#worker/routes/profile.ts")).profileRoutes,
  ),
  ...loadWhenCalled(
    [
      "listConnections",
      "createConnection",
      "updateConnection",
      "deleteConnection",
      "testConnection",
      "startProvider",
    ],
    async () => (await import("#worker/routes/connections.ts")).connectionRoutes,
  ),
  ...loadWhenCalled(
    [
      "listServers",
      "createServer",
      "getServer",
      "updateServer",
      "deleteServer",
      "createEnrollment",
      "drainServer",
      "undrainServer",
    ],
    async () => (await import("#worker/routes/servers.ts")).serverRoutes,
  ),
  ...loadWhenCalled(
    ["createChallenge", "confirmSession", "endSession"],
    async () => (await import("#worker/routes/sessions.ts")).sessionRoutes,
  ),
  ...loadWhenCalled(
    ["listTokens", "getToken", "createToken", "revokeToken", "rotateToken"],
    async () => (await import("#worker/routes/tokens.ts")).accessTokenRoutes,
  ),
  ...loadWhenCalled(
    ["setMaintenance", "pauseProject", "resumeProject"],
    async () => (await import("#worker/routes/traffic.ts")).trafficRoutes,
  ),
  ...loadWhenCalled(
    [
      "listTrustRules",
      "createTrustRule",
      "testTrustRules",
      "getTrustRule",
      "updateTrustRule",
      "deleteTrustRule",
    ],
    async () => (await import("#worker/routes/trust-rules.ts")).trustRuleRoutes,
  ),
  ...loadWhenCalled(
    ["getVariables", "updateVariables", "listVariableRevisions"],
    async () => (await import("#worker/routes/variables.ts")).variableRoutes,
  ),
  ...loadWhenCalled(
    [
      "listWebhooks",
      "createWebhook",
      "getWebhook",
      "updateWebhook",
      "deleteWebhook",
      "testWebhook",
      "rotateWebhook",
      "listDeliveries",
      "resendDelivery",
      "resendDeliveries",
    ],
    async () => (await import("#worker/routes/webhooks.ts")).webhookRoutes,
  ),
} satisfies Partial<TokenRoutes>;

/** As `lazyTokenRoutes`, for callers without a token. */
export const lazyOpenRoutes = {
  ...loadWhenCalled(
    ["createSignInChallenge", "createSession"],
    async () => (await import("#worker/routes/sessions.ts")).signInRoutes,
  ),
  ...loadWhenCalled(
    ["getSignInOptions", "startSignIn"],
    async () => (await import("#worker/routes/connections.ts")).providerRoutes,
  ),
  ...loadWhenCalled(
    ["lookUpInvitation", "acceptInvitation"],
    async () => (await import("#worker/routes/members.ts")).joinRoutes,
  ),
  ...loadWhenCalled(["claimToken"], async () => (await import("#worker/routes/connect.ts")).claimRoutes),
  ...loadWhenCalled(
    ["enrollAgent"],
    async () => (await import("#worker/routes/enrollment.ts")).enrollmentRoutes,
  ),
  ...loadWhenCalled(
    ["receiveDelivery"],
    async () => (await import("#worker/routes/hooks.ts")).deliveryRoutes,
  ),
  ...loadWhenCalled(
    ["exchangeToken"],
    async () => (await import("#worker/routes/trust-rules.ts")).exchangeRoutes,
  ),
} satisfies Partial<OpenRoutes>;
