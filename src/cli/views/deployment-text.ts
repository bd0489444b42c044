import type {
  Deployment,
  DeploymentStatus,
  Failure,
  Hold,
  StageTime,
  WaitingOn,
} from "#contract/endpoints/deployments/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
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

export const deploymentColumns = ["VERSION", "STATUS", "BRANCH", "COMMIT", "DURATION", "STARTED", "ID"];

/** A table row for `deploymentColumns`. */
export function deploymentRow(deployment: Deployment, output: Output): readonly string[] {
  const { version, status, stage, branch, commit, duration, created_at, emergency, id } = deployment;
  const paint = output.style[statusStyles[status]];
  const isPlain = output.form === "plain";
  const notes = [stage, emergency === null ? null : "emergency"].filter((note) => note !== null);
  return [
    isPlain ? `${version}` : `v${version}`,
    paint(isPlain ? status : [status, ...notes].join(", ")),
    printableName(branch),
    commit ?? "–",
    isPlain ? `${duration}` : durationText(duration),
    timeText(created_at, output),
    output.style.dim(id),
  ];
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

export function failureText({ code, message, stage }: Failure): string {
  return `${printable(message)} (${code}, in the stage ${stage})`;
}

/** What a deployment waits for, to follow the word `waiting`. @param freezeName null: not known */
export function waitingText(waiting: WaitingOn, freezeName: string | null): string {
  switch (waiting.type) {
    case "deployment":
      return `for deployment ${waiting.id} (position ${waiting.position} in the queue)`;
    case "server":
      return `for its server (${waiting.id}) to take it`;
    case "freeze":
      return `for the end of the freeze ${printableName(freezeName ?? waiting.id)}, at ${waiting.until}${whyHeld(waiting)}`;
    case "commit":
      return `for its server (${waiting.id}) to resolve the commit that needs an approval`;
    case "approval":
      return `for an approval${whyHeld(waiting)}`;
  }
}

function whyHeld({ differs = [] }: Extract<Hold, { type: "freeze" | "approval" }>): string {
  return differs.length === 0
    ? ""
    : `, because it changes more than the code: ${printable(differs.join(", "))}`;
}
