import { abbreviateCommit } from "#contract/abbreviate-commit.ts";
import type { DeploymentEvent, Event, EventDeployment } from "#contract/endpoints/events/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import { firstLine, plainLine } from "#domain/notify/limit-text.ts";
import { fieldsOf, type Message, type MessageLevel, type MessageLink } from "#domain/notify/message.ts";

/** Whether the event is one of a deployment. */
export function isAboutDeployment(event: Event): event is DeploymentEvent {
  return event.type.startsWith("deployment.");
}

/**
 * What people read about an event of a deployment.
 * @param isRecovery the last outcome of the project that was reported to this target was a failure
 */
export function deploymentMessage(event: DeploymentEvent, origin: string, isRecovery: boolean): Message {
  const { project, deployment } = event.data;
  const { failure } = deployment;
  const line = plainLine(failure?.failing_line ?? "");
  return {
    level: levelOf(event.type),
    title: `${plainLine(project.name)}${isRecovery ? " recovered" : ""}: ${happened(event)}`,
    lines: [reasonOf(event), failure?.message, failure?.hint]
      .map((text) => plainLine(text ?? ""))
      .filter((text) => text !== ""),
    code: line === "" ? null : line,
    fields: fieldsOf({
      Commit: commitText(deployment),
      Branch: deployment.branch,
      "Started by": starterText(deployment),
      ...actorField(event),
      Duration: deployment.finished_at === null ? null : durationText(deployment.duration),
    }),
    links: linksOf(event, origin),
    at: event.timestamp,
  };
}

function levelOf(type: DeploymentEvent["type"]): MessageLevel {
  switch (type) {
    case "deployment.live":
      return "success";
    case "deployment.failed":
      return "failure";
    case "deployment.emergency":
    case "deployment.held":
    case "deployment.canceled":
      return "warning";
    case "deployment.started":
    case "deployment.approved":
    case "deployment.building":
    case "deployment.batch":
    case "deployment.superseded":
    case "deployment.deleted":
      return "info";
  }
}

/** What happened, to follow the project's name and a colon. */
export function happened({ type, data }: DeploymentEvent): string {
  const { deployment, replaced_by: newer } = data;
  const name = deploymentName(deployment);
  if (newer !== null) return `${name} was replaced by v${newer.version}`;
  switch (type) {
    case "deployment.started":
      return `${name} is queued`;
    case "deployment.emergency":
      return `${name} is an emergency and passes freezes and approvals`;
    case "deployment.held":
      return `${name} is on hold`;
    case "deployment.approved":
      return `${name} was approved`;
    case "deployment.building":
      return `${name} is in progress`;
    case "deployment.batch":
      return `${name} is live on some servers, and pauses before the next`;
    case "deployment.live":
      return `${name} is live`;
    case "deployment.superseded":
      return `${name} was replaced by a newer one`;
    case "deployment.failed":
      return `${name} failed${deployment.failure === null ? "" : ` (${deployment.failure.stage})`}`;
    case "deployment.canceled":
      return `${name} was canceled`;
    case "deployment.deleted":
      return `${name} was deleted`;
  }
}

/** Why a deployment passes freezes and approvals, in the message about that. */
function reasonOf({ type, data: { deployment } }: DeploymentEvent): string | null {
  return type === "deployment.emergency" ? deployment.emergency : null;
}

function deploymentName({ kind, version }: EventDeployment): string {
  switch (kind) {
    case "deploy":
      return `v${version}`;
    case "rollback":
      return `rollback as v${version}`;
    case "config":
      return `v${version} with changed settings`;
    default:
      return `v${version} (${kind})`;
  }
}

/** `8e8412f Change the title` */
function commitText({
  commit_sha: sha,
  pushed_sha: pushed,
  commit_message: message,
}: EventDeployment): string {
  return `${abbreviateCommit(sha ?? pushed ?? "")} ${firstLine(message ?? "")}`.trim();
}

function starterText({ trigger, actor }: EventDeployment): string {
  switch (trigger) {
    case "api":
      return actor.name;
    case "push":
      return `a push by ${actor.name}`;
    case "poll":
      return `a push that the server ${actor.name} found`;
    default:
      return `${actor.name} (${trigger})`;
  }
}

/** Who acted on a deployment that another may have started. */
function actorField({ type, data }: DeploymentEvent): Readonly<Record<string, string>> {
  const { name } = data.actor;
  if (data.replaced_by !== null) return {};
  switch (type) {
    case "deployment.approved":
      return { "Approved by": name };
    case "deployment.canceled":
      return { "Canceled by": name };
    case "deployment.deleted":
      return { "Deleted by": name };
    case "deployment.started":
    case "deployment.emergency":
    case "deployment.held":
    case "deployment.building":
    case "deployment.batch":
    case "deployment.live":
    case "deployment.superseded":
    case "deployment.failed":
      return {};
  }
}

function linksOf({ type, data: { project, deployment } }: DeploymentEvent, origin: string): Message["links"] {
  if (type === "deployment.deleted")
    return [{ text: "Open the project", url: dashboardPage(origin, `/projects/${project.id}`) }];
  return [
    { text: "Open the deployment", url: deploymentPage(origin, deployment) },
    ...(type === "deployment.live" ? siteLink(project.url) : []),
  ];
}

/** The dashboard's page of a deployment, with its log. */
export function deploymentPage(origin: string, { id }: Pick<EventDeployment, "id">): string {
  return dashboardPage(origin, `/deployments/${id}`);
}

/** An address with other characters could end a link early. */
function siteLink(url: string | null): readonly MessageLink[] {
  return isPlainUrl(url) ? [{ text: "Open the site", url }] : [];
}

/** Whether the address is of http, and has no character that could end a link. */
export function isPlainUrl(url: string | null): url is string {
  return url !== null && /^https?:\/\/[\w.~:/?#@!$&*+,;=%[\]-]{1,1000}$/.test(url);
}
