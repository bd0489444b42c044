import {
  type Event,
  isKnown,
  type ProcessEvent,
  type ReadEvent,
} from "#contract/endpoints/events/schemas.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { sourceText } from "#cli/views/deployment-text.ts";

export const eventColumns = ["TIME", "EVENT", "ABOUT", "BY"];

/** A row for `eventColumns`. @param time when it happened, as text */
export function eventRow(event: ReadEvent, time: string): readonly string[] {
  return [
    time,
    event.type,
    isKnown(event) ? aboutText(event) : dataText(event.data),
    printableName(event.data.actor.name),
  ];
}

/** What an event is about, in a line. */
function aboutText({ data }: Event): string {
  if ("server" in data && "live" in data && !("since" in data))
    return withReason(`${data.project.name} ${data.server.name}`, `v${data.live.version}`);
  if ("deployment" in data) {
    const { project, deployment } = data;
    const failure = deployment.failure === null ? "" : `: ${printable(deployment.failure.message)}`;
    return `${printableName(project.name)} v${deployment.version} ${sourceText(deployment)}${failure}`;
  }
  if ("server" in data && "changed" in data) return withChanges(data.server.name, data.changed);
  if ("revision" in data)
    return withChanges(data.project.name, [...data.set, ...data.removed.map((name) => `-${name}`)]);
  if ("freeze" in data) {
    const { freeze, project } = data;
    return `${printableName(freeze.name)} (${project === null ? "all projects" : printableName(project.name)})`;
  }
  if ("process" in data)
    return withReason(
      `${data.project.name} ${data.process.name}${onServer(data)}`,
      data.last_line ?? data.last_exit,
    );
  if ("job" in data)
    return withReason(
      `${data.project.name} ${data.job.name}${onServer(data)}`,
      data.run?.last_line ?? data.run?.message ?? null,
    );
  if ("certificate" in data) return withReason(`${data.certificate.domain}${onServer(data)}`, data.problem);
  if ("project" in data) return withChanges(data.project.name, data.changed);
  if ("token" in data) return printableName(data.token.name);
  if ("trust_rule" in data) return withChanges(data.trust_rule.name, data.changed);
  if ("passkey" in data) return `${printableName(data.passkey.name)} of ${printableName(data.member.name)}`;
  if ("identity" in data)
    return `${printableName(data.identity.connection)} of ${printableName(data.member.name)}`;
  if ("connection" in data) return withChanges(data.connection.name, data.changed);
  if ("member" in data) return withChanges(data.member.name, data.changed);
  if ("invitation" in data) return printableName(data.invitation.email ?? data.invitation.id);
  if ("webhook" in data) return withReason(data.webhook.name, data.reason);
  if ("hook" in data) return withReason(data.hook.repository, data.reason);
  if ("account" in data) return withChanges("account", data.changed);
  return `entries up to ${data.seal.last_entry}`;
}

/** The data of an event of a type that a newer control plane has added. */
function dataText({ sequence: _sequence, actor: _actor, ...data }: ReadEvent["data"]): string {
  return printable(JSON.stringify(data));
}

function withChanges(name: string, changed: readonly string[]): string {
  return `${printableName(name)}${changed.length === 0 ? "" : `: ${changed.map(printable).join(", ")}`}`;
}

function withReason(name: string, reason: string | null): string {
  return `${printableName(name)}${reason === null ? "" : `: ${printable(reason)}`}`;
}

const onServer = ({ server }: Pick<ProcessEvent["data"], "server">): string =>
  server === null ? "" : ` on ${server.name}`;
