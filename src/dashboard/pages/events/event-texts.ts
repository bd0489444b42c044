import {
  type Event,
  type EventType,
  isKnown,
  type ProcessEvent,
  type ReadEvent,
  type RecoveryReason,
} from "#contract/endpoints/events/schemas.ts";
import type { Growing } from "#contract/growing.ts";
import type { PageRoute } from "#dashboard/router/route.ts";

const happened: Record<EventType, string> = {
  "deployment.started": "was started",
  "deployment.emergency": "was started as an emergency",
  "deployment.held": "is held",
  "deployment.approved": "was approved",
  "deployment.building": "is building",
  "deployment.batch": "is pausing between servers",
  "deployment.live": "is live",
  "deployment.superseded": "was superseded",
  "deployment.failed": "failed",
  "deployment.canceled": "was canceled",
  "deployment.deleted": "was deleted",
  "server.created": "was added",
  "server.updated": "was changed",
  "server.healthy": "is healthy",
  "server.degraded": "is degraded",
  "server.offline": "is offline",
  "server.deleted": "was removed",
  "server.behind": "is behind",
  "server.caught_up": "has caught up",
  "project.created": "was added",
  "project.updated": "was changed",
  "project.deleted": "was deleted",
  "variables.updated": "has changed variables",
  "process.crash_looping": "is crashing again and again",
  "process.recovered": "has recovered",
  "cron.failed": "failed",
  "cron.recovered": "has recovered",
  "certificate.expiring": "is about to expire",
  "certificate.renewed": "was renewed",
  "token.created": "was created",
  "token.rotated": "was rotated",
  "token.revoked": "was revoked",
  "trust_rule.created": "was created",
  "trust_rule.updated": "was changed",
  "trust_rule.deleted": "was deleted",
  "member.joined": "has joined",
  "member.updated": "was changed",
  "member.recovered": "has signed in by a recovery code",
  "member.removed": "was removed",
  "invitation.created": "was created",
  "invitation.deleted": "was withdrawn",
  "passkey.added": "was added",
  "passkey.removed": "was removed",
  "connection.created": "was created",
  "connection.updated": "was changed",
  "connection.deleted": "was deleted",
  "identity.added": "was added",
  "identity.removed": "was removed",
  "webhook.created": "was created",
  "webhook.updated": "was changed",
  "webhook.disabled": "was disabled",
  "webhook.deleted": "was deleted",
  "webhook.test": "was tested",
  "hook.created": "was created",
  "hook.updated": "was changed",
  "hook.refused": "refused a delivery",
  "hook.deleted": "was deleted",
  "freeze.created": "was created",
  "freeze.updated": "was changed",
  "freeze.deleted": "was deleted",
  "account.link_used": "was entered by a sign-in link",
  "account.updated": "was changed",
  "audit.sealed": "was sealed",
};

/** An event in words: the subject, which may be a link, what happened to it, and a detail. */
export type EventText = {
  readonly subject: string;
  /** The page of the subject; null: it has none. */
  readonly route: PageRoute | null;
  readonly happened: string;
  readonly detail: string | null;
};

export function eventText(event: ReadEvent): EventText {
  // A newer control plane has added the type.
  if (!isKnown(event)) return { subject: event.type, route: null, happened: "happened", detail: null };
  return { happened: happened[event.type], ...subjectOf(event) };
}

function subjectOf({ type, data }: Event): Omit<EventText, "happened"> {
  if ("server" in data && !("since" in data) && "live" in data)
    return {
      subject: `${data.server.name} of ${data.project.name}`,
      route: { page: "deployment", id: data.live.id },
      detail: `v${data.live.version}`,
    };
  if ("deployment" in data) {
    const { deployment, project } = data;
    const isGone = type === "deployment.deleted";
    return {
      subject: `v${deployment.version} of ${project.name}`,
      route: isGone ? null : { page: "deployment", id: deployment.id },
      detail: type === "deployment.failed" ? (deployment.failure?.message ?? null) : commitText(deployment),
    };
  }
  if ("server" in data && "changed" in data)
    return { subject: data.server.name, route: { page: "servers" }, detail: listed(data.changed) };
  if ("process" in data)
    return {
      subject: `${data.process.name} of ${data.project.name}${onServer(data)}`,
      route: { page: "processes", id: data.project.id },
      detail: data.last_line ?? data.last_exit ?? recoveryText(data.reason),
    };
  if ("job" in data)
    return {
      subject: `Cron job ${data.job.name} of ${data.project.name}${onServer(data)}`,
      route: { page: "commands", id: data.project.id },
      detail: data.run === null ? recoveryText(data.reason) : (data.run.last_line ?? data.run.message),
    };
  if ("certificate" in data)
    return {
      subject: `Certificate of ${data.certificate.domain}${onServer(data)}`,
      route: { page: "settings_domains", id: data.project.id },
      detail: data.problem,
    };
  if ("token" in data)
    return { subject: `Token ${data.token.name}`, route: { page: "tokens" }, detail: null };
  if ("trust_rule" in data)
    return {
      subject: `Trust rule ${data.trust_rule.name}`,
      route: { page: "trust_rules" },
      detail: listed(data.changed),
    };
  if ("passkey" in data)
    return {
      subject: `Passkey ${data.passkey.name} of ${data.member.name}`,
      route: { page: "members" },
      detail: null,
    };
  if ("identity" in data)
    return {
      subject: `Identity of ${data.member.name} at ${data.identity.connection}`,
      route: { page: "members" },
      detail: data.identity.name,
    };
  if ("connection" in data)
    return {
      subject: `Connection ${data.connection.name}`,
      route: { page: "sign_in_settings" },
      detail: listed(data.changed),
    };
  if ("member" in data)
    return { subject: data.member.name, route: { page: "members" }, detail: listed(data.changed) };
  if ("invitation" in data)
    return { subject: "An invitation", route: { page: "members" }, detail: data.invitation.email };
  if ("webhook" in data) return { subject: `Webhook ${data.webhook.name}`, route: null, detail: data.reason };
  if ("hook" in data) return { subject: `Hook of ${data.hook.repository}`, route: null, detail: data.reason };
  if ("freeze" in data)
    return {
      subject: `Freeze ${data.freeze.name}`,
      route: { page: "freezes" },
      detail: data.project === null ? "for all projects" : `for ${data.project.name}`,
    };
  if ("account" in data)
    return { subject: "The account", route: { page: "account" }, detail: listed(data.changed) };
  if ("seal" in data)
    return { subject: "The audit log", route: null, detail: `up to entry ${data.seal.last_entry}` };
  const { project } = data;
  const isGone = type === "project.deleted";
  return {
    subject: project.name,
    route: isGone ? null : { page: "project", id: project.id },
    detail: "set" in data ? namesText(data.set, data.removed) : listed(data.changed),
  };
}

const onServer = ({ server }: Pick<ProcessEvent["data"], "server">): string =>
  server === null ? "" : ` on ${server.name}`;

function recoveryText(reason: Growing<RecoveryReason> | null): string | null {
  switch (reason) {
    case "stopped":
      return "it was stopped";
    case "removed":
      return "it was removed";
    case "working":
    case null:
      return null;
    default:
      return reason;
  }
}

type Commit = {
  readonly branch: string;
  readonly commit: string | null;
  readonly commit_message: string | null;
};

function commitText({ branch, commit, commit_message: message }: Commit): string {
  const [title = ""] = (message ?? "").split("\n");
  return [branch, commit ?? "", title].filter((part) => part !== "").join(" ");
}

function listed(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(", ");
}

function namesText(set: readonly string[], removed: readonly string[]): string {
  const parts = [
    ...(set.length === 0 ? [] : [`set ${set.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`]),
  ];
  return parts.join("; ");
}

/** The events that can be listed together, by their patterns. */
export const eventFamilies = {
  "deployment.*": "Deployments",
  "server.*": "Servers",
  "project.*": "Projects",
  "variables.*": "Variables",
  "process.*": "Processes",
  "cron.*": "Cron jobs",
  "certificate.*": "Certificates",
  "token.*": "Tokens",
  "trust_rule.*": "Trust rules",
  "member.*": "Members",
  "invitation.*": "Invitations",
  "passkey.*": "Passkeys",
  "connection.*": "Connections",
  "identity.*": "Identities",
  "webhook.*": "Webhooks",
  "hook.*": "Hooks",
  "freeze.*": "Freezes",
  "account.*": "Account",
  "audit.*": "Audit log",
} as const;
