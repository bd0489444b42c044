import type { ComponentChildren } from "preact";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { type Growing, textOf } from "#contract/growing.ts";
import { branchLink, commitLink, repositoryLink } from "#dashboard/shared/forge-links.ts";
import { deploymentState, serverStatusLabels, type StatusFacts } from "#dashboard/text/labels.ts";
import { minuteText } from "#dashboard/text/times.ts";

/** A deployment's status, or the reason why it waits, or its stage while it is building. */
export function Status({ of }: { readonly of: StatusFacts }) {
  const { label, tone } = deploymentState(of);
  return <span class={`status ${tone}`}>{label}</span>;
}

export function ServerState({ status }: { readonly status: Growing<ServerStatus> }) {
  return <span class={`status ${status}`}>{textOf(serverStatusLabels, status)}</span>;
}

type BranchProps = {
  readonly name: string;
  /** The project's repository: the name is a link to its git host, if that is a public one. */
  readonly repository?: string | undefined;
};

/** A branch name. Invisible characters are shown by their code points. */
export function Branch({ name, repository }: BranchProps) {
  return (
    <Linked href={repository === undefined ? null : branchLink(repository, name)}>
      <code>{withHiddenShown(name)}</code>
    </Linked>
  );
}

/** The address of a repository, as a link to its git host if that is a public one. */
export function Repository({ address }: { readonly address: string }) {
  return (
    <Linked href={repositoryLink(address)}>
      <code>{withHiddenShown(address)}</code>
    </Linked>
  );
}

function Linked({ href, children }: { readonly href: string | null; readonly children: ComponentChildren }) {
  return href === null ? <>{children}</> : <a href={href}>{children}</a>;
}

/** The first line of a commit message, with invisible characters shown by their code points. Empty if there is none. */
export function titleOf(message: string | null): string {
  const [title = ""] = (message ?? "").split("\n");
  return withHiddenShown(title);
}

type CommitProps = {
  readonly commit: string | null;
  readonly message: string | null;
  /** The deployment has ended, so an unknown commit stays unknown. */
  readonly isFinal?: boolean;
  /** As for a branch. */
  readonly repository?: string | undefined;
};

/** A commit's short hash and the first line of its message. */
export function Commit({ commit, message, isFinal = true, repository }: CommitProps) {
  const title = titleOf(message);
  return (
    <span class="commit">
      {commit === null ? (
        <span class="quiet">{isFinal ? "no commit" : "commit pending"}</span>
      ) : (
        <Linked href={repository === undefined ? null : commitLink(repository, commit)}>
          <code>{commit}</code>
        </Linked>
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
      return "waiting for the server to take it";
    case "freeze":
      return `held by a freeze until ${minuteText(waiting.until)}`;
    case "commit":
      return "waiting for the server to resolve the commit";
    case "approval":
      return "waiting for an approval";
    case "batch":
      return `pausing between servers until ${minuteText(waiting.until)}`;
    default:
      return `waiting for ${waiting.type}`;
  }
}

/** Why a rollback is held although its code was live before; null: it is not held, or no rollback. */
export function whyHeld({ waiting_on: waiting }: Deployment): string | null {
  if (waiting?.type !== "freeze" && waiting?.type !== "approval") return null;
  const { differs = [] } = waiting;
  return differs.length === 0 ? null : `It changes more than the code: ${differs.join(", ")}.`;
}
