import type {
  CatchUpEvent,
  CertificateEvent,
  CronEvent,
  DeploymentEvent,
  Event,
  EventActor,
  ProcessEvent,
  RecoveryReason,
} from "#contract/endpoints/events/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import type { Growing } from "#contract/growing.ts";
import { deploymentMessage, isAboutDeployment } from "#domain/notify/deployment-message.ts";
import { plainLine } from "#domain/notify/limit-text.ts";
import { fieldsOf, type Message, type MessageLevel } from "#domain/notify/message.ts";

/**
 * What people read about an event.
 * @param origin of the installation, for links
 * @param isRecovery the last outcome of the project or server that was reported to this target was a failure
 */
export function notificationOf(event: Event, origin: string, isRecovery: boolean): Message {
  if (isAboutDeployment(event)) return deploymentMessage(event, origin, isRecovery);
  const {
    level = "info",
    title,
    line = null,
    code = null,
    fields = {},
    ...rest
  } = otherText(event, isRecovery);
  const plain = plainLine(line ?? "");
  const output = plainLine(code ?? "");
  return {
    level,
    title: plainLine(title),
    lines: plain === "" ? [] : [plain],
    code: output === "" ? null : output,
    fields: fieldsOf({ ...fields, By: byText(event.data.actor) }),
    links: [{ text: rest.link ?? "Open Gantry", url: dashboardPage(origin, rest.page) }],
    at: event.timestamp,
  };
}

type Other = Exclude<Event, DeploymentEvent>;

type Text = {
  readonly level?: MessageLevel;
  readonly title: string;
  readonly line?: string | null;
  /** A line of output. */
  readonly code?: string | null;
  /** The page of the dashboard, below its root, and what its link says. */
  readonly page: string;
  readonly link?: string;
  readonly fields?: Readonly<Record<string, string | null>>;
};

function otherText(event: Other, isRecovery: boolean): Text {
  const { type, data } = event;
  if (type === "server.healthy") return serverText(data.server, "success", isRecovery ? "back" : "connected");
  if (type === "server.degraded")
    return {
      ...serverText(data.server, "warning", "degraded"),
      line: "Its disk is nearly full, or its ingress does not work or is missing for an app.",
    };
  if (type === "server.offline")
    return {
      ...serverText(data.server, "failure", "offline"),
      line: "Its agent has lost contact. Deployments wait until it is back.",
    };
  if (type === "server.behind" || type === "server.caught_up") return catchUpText(event);
  if (type === "process.crash_looping" || type === "process.recovered") return processText(event);
  if (type === "cron.failed" || type === "cron.recovered") return cronText(event);
  if (type === "certificate.expiring" || type === "certificate.renewed") return certificateText(event);
  if (type === "webhook.test")
    return {
      title: "A test of this notification",
      line: `The webhook ${data.webhook.name} works: messages about deployments will arrive here.`,
      page: "/webhooks",
    };
  if (type === "variables.updated")
    return {
      ...changeText(
        event,
        `Set of variables of ${data.project.name}`,
        `/projects/${data.project.id}/variables`,
      ),
      fields: { Set: data.set.join(", "), Removed: data.removed.join(", ") },
    };
  if (type === "webhook.disabled")
    return { ...changeText(event, `Webhook ${data.webhook.name}`, "/webhooks"), level: "warning" };
  if (type === "hook.refused")
    return {
      ...changeText(event, `Delivery about a push to ${maskRepository(data.hook.repository)}`, ""),
      level: "warning",
    };
  return changeText(event, ...subjectOf(event));
}

function catchUpText({ type, data: { project, server, live } }: CatchUpEvent): Text {
  const base = { page: `/deployments/${live.id}`, link: "Open the deployment" };
  const subject = `${project.name}: server ${server.name}`;
  return type === "server.behind"
    ? {
        ...base,
        level: "warning",
        title: `${subject} is behind v${live.version}`,
        line: "It gets the release by itself when it can.",
      }
    : { ...base, level: "success", title: `${subject} serves v${live.version}` };
}

function processText({ type, data }: ProcessEvent): Text {
  const { process, last_exit: exit, last_line: line, reason, project } = data;
  const name = `${process.name}${onServer(data)}`;
  const base = { page: `/projects/${project.id}/processes`, link: "Show the output" };
  if (type === "process.recovered")
    return { ...base, ...recoveredText(project.name, name, reason, data.since, "crashed") };
  const end = data.signal ?? (data.exit_code === null ? null : `exit code ${data.exit_code}`);
  const often =
    data.ends === null || data.seconds === null ? null : `${data.ends} times in ${periodText(data.seconds)}`;
  const known = [end, often].filter((part) => part !== null).join(", ");
  return {
    ...base,
    level: "failure",
    title: `${project.name}: ${name} crashes again and again${known === "" ? "" : ` (${known})`}`,
    line: end === null && exit !== null ? `It ${exit}.` : null,
    code: line,
    fields: { Running: runningText(data), Deployment: versionText(data) },
  };
}

function cronText({ type, data }: CronEvent): Text {
  const { project, job, run, reason } = data;
  const name = `${job.name}${onServer(data)}`;
  const base = { page: `/projects/${project.id}/commands`, link: "Show the runs" };
  if (type === "cron.recovered" || run === null)
    return { ...base, ...recoveredText(project.name, name, reason, data.since, "failed") };
  return {
    ...base,
    level: "failure",
    title: `${project.name}: the cron job ${name} failed`,
    line: `Run ${run.number} ${run.message ?? "failed"}. There is no further message until it succeeds.`,
    code: run.last_line,
    fields: { Deployment: versionText(data) },
  };
}

function certificateText({ type, data }: CertificateEvent): Text {
  const { project, certificate, problem } = data;
  const base = {
    page: `/projects/${project.id}/settings/domains`,
    link: "Show the domains",
    fields: { Expires: certificate.expires_at?.slice(0, 10) ?? null },
  };
  const subject = `${project.name}: the certificate of ${certificate.domain}${onServer(data)}`;
  return type === "certificate.renewed"
    ? { ...base, level: "success", title: `${subject} was renewed` }
    : { ...base, level: "warning", title: `${subject} expires soon`, line: problem };
}

const onServer = ({ server }: Pick<ProcessEvent["data"], "server">): string =>
  server === null ? "" : ` on ${server.name}`;

/** @param failed how it failed since then */
function recoveredText(
  project: string,
  name: string,
  reason: Growing<RecoveryReason> | null,
  since: string,
  failed: "crashed" | "failed",
): Pick<Text, "level" | "title" | "line"> {
  const happened = recoveryTexts(reason)[failed];
  const title = `${project}: ${name} ${happened}`;
  const level = reason === "working" ? "success" : "info";
  return { level, title, line: `It ${failed} since ${since.slice(0, 16).replace("T", " ")} UTC.` };
}

function recoveryTexts(reason: Growing<RecoveryReason> | null): Record<"crashed" | "failed", string> {
  switch (reason) {
    case null:
      return recoveries.working;
    case "working":
    case "stopped":
    case "removed":
      return recoveries[reason];
    default:
      return { crashed: `no longer crashes (${reason})`, failed: `no longer fails (${reason})` };
  }
}

const recoveries: Readonly<Record<RecoveryReason, Record<"crashed" | "failed", string>>> = {
  working: { crashed: "runs again", failed: "succeeds again" },
  stopped: { crashed: "was stopped, and no longer crashes", failed: "was stopped" },
  removed: { crashed: "was removed, and no longer crashes", failed: "was removed" },
};

function periodText(seconds: number): string {
  return seconds < 90 ? `${Math.max(1, seconds)} s` : `${Math.round(seconds / 60)} minutes`;
}

function runningText({ process: { running, desired } }: ProcessEvent["data"]): string | null {
  return running === null || desired === null ? null : `${running} of ${desired}`;
}

function versionText({ live }: { readonly live: ProcessEvent["data"]["live"] }): string | null {
  return live === null ? null : `v${live.version}`;
}

const serverText = ({ name }: { readonly name: string }, level: MessageLevel, is: string): Text => ({
  level,
  title: `Server ${name} is ${is}`,
  page: "/servers",
});

/** Says that something was changed, with the last word of types such as `project.created`. */
function changeText({ type, data }: Other, subject: string, page: string): Text {
  return {
    title: `${subject} was ${type.slice(type.indexOf(".") + 1)}`,
    line: "reason" in data ? data.reason : null,
    page,
    fields: { Changed: "changed" in data ? data.changed.join(", ") : null },
  };
}

/** What an event is about, and the page of the dashboard that shows it. */
function subjectOf({ type, data }: Other): readonly [subject: string, page: string] {
  if ("server" in data && "changed" in data) return [`Server ${data.server.name}`, "/servers"];
  if ("token" in data) return [`Token ${data.token.name}`, "/tokens"];
  if ("trust_rule" in data) return [`Trust rule ${data.trust_rule.name}`, "/tokens/trust-rules"];
  if ("passkey" in data) return [`Passkey ${data.passkey.name} of ${data.member.name}`, "/members"];
  if ("identity" in data)
    return [`Identity of ${data.member.name} at ${data.identity.connection}`, "/members"];
  if ("connection" in data) return [`Connection ${data.connection.name}`, "/members/sign-in"];
  if ("member" in data) return [`Member ${data.member.name}`, "/members"];
  if ("invitation" in data) return [`Invitation${ofAddress(data.invitation.email)}`, "/members"];
  if ("webhook" in data) return [`Webhook ${data.webhook.name}`, "/webhooks"];
  if ("hook" in data) return [`Hook of ${maskRepository(data.hook.repository)}`, ""];
  if ("freeze" in data) {
    const { freeze, project } = data;
    return [
      `Freeze ${freeze.name} of ${project === null ? "all projects" : `project ${project.name}`}`,
      "/freezes",
    ];
  }
  if ("account" in data) return ["Account", "/account"];
  if ("seal" in data) return [`Audit log up to entry ${data.seal.last_entry}`, ""];
  const { id, name } = data.project;
  return [`Project ${name}`, type === "project.deleted" ? "" : `/projects/${id}`];
}

function ofAddress(email: string | null): string {
  return email === null ? "" : ` of ${email}`;
}

function byText({ type, name }: EventActor): string | null {
  return type === "system" ? null : name;
}
