import type { DeploymentEvent, Event, EventActor } from "#contract/endpoints/events/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import { deploymentMessage, isAboutDeployment } from "#domain/notify/deployment-message.ts";
import { plainLine } from "#domain/notify/limit-text.ts";
import { fieldsOf, type Message, type MessageLevel } from "#domain/notify/message.ts";

/**
 * What people read about an event.
 * @param origin of the installation, for links
 * @param isRecovery the last outcome of the project or server that was reported to this target was a failure
 */
export function messageOf(event: Event, origin: string, isRecovery: boolean): Message {
  if (isAboutDeployment(event)) return deploymentMessage(event, origin, isRecovery);
  const { level = "info", title, line = null, page, fields = {} } = otherText(event, isRecovery);
  const plain = plainLine(line ?? "");
  return {
    level,
    title: plainLine(title),
    lines: plain === "" ? [] : [plain],
    code: null,
    fields: fieldsOf({ ...fields, By: byText(event.data.actor) }),
    links: [{ text: "Open Gantry", url: dashboardPage(origin, page) }],
    at: event.timestamp,
  };
}

type Other = Exclude<Event, DeploymentEvent>;

type Text = {
  readonly level?: MessageLevel;
  readonly title: string;
  readonly line?: string | null;
  /** The page of the dashboard, below its root. */
  readonly page: string;
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
  if ("server" in data) return [`Server ${data.server.name}`, "/servers"];
  if ("token" in data) return [`Token ${data.token.name}`, "/tokens"];
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

function byText({ type, name }: EventActor): string | null {
  return type === "system" ? null : name;
}
