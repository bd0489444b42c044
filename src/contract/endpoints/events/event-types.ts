// The types of events, by what they are about. Each begins with its family (`patterns.ts`).

export const deploymentEventTypes = [
  "deployment.started",
  "deployment.emergency",
  "deployment.held",
  "deployment.approved",
  "deployment.building",
  "deployment.batch",
  "deployment.live",
  "deployment.superseded",
  "deployment.failed",
  "deployment.canceled",
  "deployment.deleted",
] as const;
export const serverEventTypes = [
  "server.created",
  "server.updated",
  "server.healthy",
  "server.degraded",
  "server.offline",
  "server.deleted",
] as const;
export const catchUpEventTypes = ["server.behind", "server.caught_up"] as const;
export const projectEventTypes = ["project.created", "project.updated", "project.deleted"] as const;
export const processEventTypes = ["process.crash_looping", "process.recovered"] as const;
export const cronEventTypes = ["cron.failed", "cron.recovered"] as const;
export const certificateEventTypes = ["certificate.expiring", "certificate.renewed"] as const;
export const tokenEventTypes = ["token.created", "token.rotated", "token.revoked"] as const;
export const trustRuleEventTypes = [
  "trust_rule.created",
  "trust_rule.updated",
  "trust_rule.deleted",
] as const;
export const accountEventTypes = ["account.updated", "account.link_used"] as const;
export const webhookEventTypes = [
  "webhook.created",
  "webhook.updated",
  "webhook.disabled",
  "webhook.deleted",
  "webhook.test",
] as const;
export const hookEventTypes = ["hook.created", "hook.updated", "hook.refused", "hook.deleted"] as const;
export const freezeEventTypes = ["freeze.created", "freeze.updated", "freeze.deleted"] as const;
export const memberEventTypes = [
  "member.joined",
  "member.updated",
  "member.recovered",
  "member.removed",
] as const;
export const invitationEventTypes = ["invitation.created", "invitation.deleted"] as const;
export const passkeyEventTypes = ["passkey.added", "passkey.removed"] as const;
export const connectionEventTypes = [
  "connection.created",
  "connection.updated",
  "connection.deleted",
] as const;
export const identityEventTypes = ["identity.added", "identity.removed"] as const;
