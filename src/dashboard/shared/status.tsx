import type {
  Deployment,
  DeploymentStage,
  DeploymentStatus,
} from "#contract/endpoints/deployments/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { serverWords, stageWords, statusWords } from "#dashboard/text/words.ts";

type Props = { readonly status: DeploymentStatus; readonly stage?: DeploymentStage | null };

/** A deployment's status; of one that runs, the stage. */
export function Status({ status, stage = null }: Props) {
  return <span class={`status ${status}`}>{stage === null ? statusWords[status] : stageWords[stage]}</span>;
}

export function ServerState({ status }: { readonly status: ServerStatus }) {
  return <span class={`status ${status}`}>{serverWords[status]}</span>;
}

/** A branch's name as git has it, with characters that cannot be seen named. */
export function Branch({ name }: { readonly name: string }) {
  return <code>{withHiddenShown(name)}</code>;
}

/** The first line of a commit's message, with characters that cannot be seen named; empty where there is none. */
export function titleOf(message: string | null): string {
  const [title = ""] = (message ?? "").split("\n");
  return withHiddenShown(title);
}

/** A commit by its short hash and the first line of its message. */
export function Commit({
  commit,
  message,
  isFinal = true,
}: {
  readonly commit: string | null;
  readonly message: string | null;
  /** It will not be found any more, where it is not known. */
  readonly isFinal?: boolean;
}) {
  const title = titleOf(message);
  return (
    <span class="commit">
      {commit === null ? (
        <span class="quiet">{isFinal ? "no commit" : "not known yet"}</span>
      ) : (
        <code>{commit}</code>
      )}
      {title === "" ? null : <span class="message"> {title}</span>}
    </span>
  );
}

/** Why a deployment does not begin yet, in words. */
export function waitingText({ waiting_on: waiting }: Deployment): string | null {
  if (waiting === null) return null;
  return waiting.type === "server"
    ? "waits for its server to connect"
    : `number ${waiting.position} in the queue`;
}
