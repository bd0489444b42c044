import type {
  Deployment,
  DeploymentStatus,
  DeploymentFailure,
  Hold,
  RollbackTarget,
  StageTime,
  WaitingOn,
} from "#contract/endpoints/deployments/schemas.ts";
import { changesText } from "#contract/endpoints/deployments/changes-text.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import type { ServerNames } from "#cli/session/server-names.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";
import { timeText } from "#cli/output/times.ts";

export const statusStyles = {
  live: "green",
  failed: "red",
  canceled: "yellow",
  building: "cyan",
  superseded: "dim",
} as const satisfies Record<DeploymentStatus, keyof Style>;

export const deploymentColumns = [
  "VERSION",
  "STATUS",
  "BRANCH",
  "COMMIT",
  "WHAT",
  "BY",
  "DURATION",
  "STARTED",
  "ID",
];

/**
 * A table row for `deploymentColumns`. For programs, columns that were added later come last, and the kind is a column.
 */
export function deploymentRow(deployment: Deployment, output: Output): readonly string[] {
  const { version, status, branch, commit, duration, created_at, id, kind, emergency } = deployment;
  const paint = output.style[statusStyles[status]];
  const isPlain = output.form === "plain";
  const shown = [...(emergency === null ? [] : ["emergency"]), statusText(deployment)].join(", ");
  const [name, by, what] = [
    printableName(branch),
    printableName(deployment.actor.name),
    whatText(deployment),
  ];
  if (isPlain)
    return [`${version}`, paint(status), name, commit ?? "–", `${duration}`, created_at, id, kind, by, what];
  return [
    ...[`v${version}`, paint(shown), name, commit ?? "–"],
    ...[kind === "rollback" ? `rollback: ${what}` : what, by],
    ...[durationText(duration), timeText(created_at, output), output.style.dim(id)],
  ];
}

/** The subject of the commit, or what a deployment of the live code changes. */
function whatText({ kind, changes, commit_message: message }: Deployment): string {
  const [subject = ""] = (message ?? "").split("\n");
  return kind === "config"
    ? printable(changesText(changes) ?? "settings and variables")
    : printableName(subject);
}

/** The status of a deployment with its stage, and the reason why it waits instead of `building`. */
export function statusText({ status, stage, waiting_on: waiting }: Deployment): string {
  if (stage === null && waiting === null) return status;
  if (waiting === null) return stage === "queued" ? "queued" : `${status}, ${stage}`;
  switch (waiting.type) {
    case "freeze":
      return "held by a freeze";
    case "approval":
    case "commit":
      return "needs approval";
    case "batch":
      return `${status}, pauses between servers`;
    case "deployment":
    case "server":
      return "queued";
    default:
      return `queued, ${waiting.type}`;
  }
}

/** `main at 8e8412f "Change the title"` */
export function sourceText({
  branch,
  commit,
  commit_message: message,
}: Pick<Deployment, "branch" | "commit" | "commit_message">): string {
  const [subject = ""] = (message ?? "").split("\n");
  const quoted = subject === "" ? "" : ` "${printableName(subject)}"`;
  return `${printableName(branch)}${commit === null ? "" : ` at ${commit}`}${quoted}`;
}

/** `fetch 0.8 s, build 12 s`; null without times. */
export function stageTimesText(times: readonly StageTime[]): string | null {
  if (times.length === 0) return null;
  return times.map(({ stage, duration }) => `${stage} ${durationText(duration)}`).join(", ");
}

/** `by builder-1, 81 MB`, or `uploaded, 81 MB` */
export function buildText(
  { server_id: builder, bytes }: NonNullable<Deployment["build"]>,
  nameOf: ServerNames,
): string {
  const by = builder === null ? "uploaded" : `by ${nameOf(builder)}`;
  return bytes === null ? by : `${by}, ${sizeText(bytes)}`;
}

/** Whether the servers still have the files of a rollback's target, to follow its name. */
export function keptFilesText(
  { instant, servers }: Pick<RollbackTarget, "instant" | "servers">,
  nameOf: ServerNames,
): string {
  if (instant)
    return servers.length > 0 ? "its files are still on all servers" : "its files are still on the server";
  const names = (kept: boolean) =>
    servers.filter((server) => server.release_kept === kept).map(({ id }) => nameOf(id));
  const [kept, others] = [names(true), names(false)];
  if (kept.length === 0) return "it will be built again";
  return `its files are still on ${kept.join(", ")}, and it will be built again on ${others.join(", ")}`;
}

export function failureText({ code, message, stage }: DeploymentFailure): string {
  return `${printable(message)} (${code}, in the stage ${stage})`;
}

/**
 * What a deployment waits for, to follow the word `waiting`.
 * @param name of the freeze or the server, or the version of the deployment; null: not known
 */
export function waitingText(waiting: WaitingOn, name: string | null): string {
  switch (waiting.type) {
    case "deployment":
      return `for ${name ?? `deployment ${waiting.id}`} (position ${waiting.position} in the queue)`;
    case "server":
      return `for its server ${serverText(waiting.id, name)} to take it`;
    case "freeze":
      return `for the end of the freeze ${printableName(name ?? waiting.id)}, at ${waiting.until}${whyHeld(waiting)}`;
    case "commit":
      return `for its server ${serverText(waiting.id, name)} to resolve the commit that needs an approval`;
    case "approval":
      return waiting.until === undefined
        ? `for an approval${whyHeld(waiting)}`
        : `for an approval of the servers that have switched, until ${waiting.until}`;
    case "batch":
      return `between two batches of servers, until ${waiting.until}`;
    default:
      return `for ${waiting.type}`;
  }
}

const serverText = (id: string, name: string | null): string =>
  name === null ? `(${id})` : printableName(name);

function whyHeld({ differs = [] }: Extract<Hold, { type: "freeze" | "approval" }>): string {
  return differs.length === 0
    ? ""
    : `, because it changes more than the code: ${printable(differs.join(", "))}`;
}
