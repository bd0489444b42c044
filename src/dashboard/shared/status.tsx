import type {
  Deployment,
  DeploymentStage,
  DeploymentStatus,
} from "#contract/endpoints/deployments/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { serverStatusLabels, buildingLabels, statusLabels } from "#dashboard/text/labels.ts";
import { dateText } from "#dashboard/text/times.ts";

type Props = { readonly status: DeploymentStatus; readonly stage?: DeploymentStage | null };

/** A deployment's status, or its stage while it is building. */
export function Status({ status, stage = null }: Props) {
  return (
    <span class={`status ${status}`}>{stage === null ? statusLabels[status] : buildingLabels[stage]}</span>
  );
}

export function ServerState({ status }: { readonly status: ServerStatus }) {
  return <span class={`status ${status}`}>{serverStatusLabels[status]}</span>;
}

/** A branch name. Invisible characters are shown by their code points. */
export function Branch({ name }: { readonly name: string }) {
  return <code>{withHiddenShown(name)}</code>;
}

/** The first line of a commit message, with invisible characters shown by their code points. Empty if there is none. */
export function titleOf(message: string | null): string {
  const [title = ""] = (message ?? "").split("\n");
  return withHiddenShown(title);
}

/** A commit's short hash and the first line of its message. */
export function Commit({
  commit,
  message,
  isFinal = true,
}: {
  readonly commit: string | null;
  readonly message: string | null;
  /** The deployment has ended, so an unknown commit stays unknown. */
  readonly isFinal?: boolean;
}) {
  const title = titleOf(message);
  return (
    <span class="commit">
      {commit === null ? (
        <span class="quiet">{isFinal ? "no commit" : "commit pending"}</span>
      ) : (
        <code>{commit}</code>
      )}
      {title === "" ? null : <span class="message"> {title}</span>}
    </span>
  );
}

/** Why a deployment has not started yet; null if it has. */
export function waitingText({ waiting_on: waiting }: Deployment): string | null {
  if (waiting === null) return null;
  switch (waiting.type) {
    case "deployment":
      return `position ${waiting.position} in the queue`;
    case "server":
      return "waiting for the server to connect";
    case "freeze":
      return `held by a freeze until ${dateText(waiting.until)}`;
    case "approval":
      return "waiting for an approval";
  }
}
