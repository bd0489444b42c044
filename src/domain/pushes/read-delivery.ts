import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { CommitSha } from "#contract/git-names.ts";
import type { Delivery } from "#domain/pushes/delivery.ts";
import { readBitbucket } from "#domain/pushes/forges/bitbucket.ts";
import { readGitHub } from "#domain/pushes/forges/github.ts";
import { readGitLab } from "#domain/pushes/forges/gitlab.ts";
import { readGitea } from "#domain/pushes/forges/gitea.ts";
import type { Push } from "#domain/pushes/push.ts";

/** Longer than a ref can be in a repository of git. */
const MAX_REF = 4_096;

/** Reads what a forge reports. @param event the forge's name of the event, from its header */
export function readDelivery(forge: HookForge, event: string, body: unknown): Delivery {
  const delivery = readOf(forge, event, body);
  const isReadable = delivery.kind !== "pushes" || delivery.pushes.every(isPossible);
  return isReadable ? delivery : { kind: "malformed" };
}

/** Whether git can have such a ref and such commits: they become the ledger's rows, and an order to the agent. */
function isPossible({ ref, before, after }: Push): boolean {
  return (
    ref.length <= MAX_REF && [before, after].every((sha) => sha === null || CommitSha.safeParse(sha).success)
  );
}

function readOf(forge: HookForge, event: string, body: unknown): Delivery {
  switch (forge) {
    case "github":
      return readGitHub(event, body);
    case "gitlab":
      return readGitLab(event, body);
    case "gitea":
      return readGitea(event, body);
    case "bitbucket":
      return readBitbucket(event, body);
  }
}

/**
 * Whether a delivery is about the repository of a hook. The host is not compared, because a forge may have another name
 * for itself than the servers that read from it.
 * @param key of the hook's repository (`repositoryKey`)
 * @param name `owner/name`, from the delivery
 */
export function isAboutRepository(key: string, name: string): boolean {
  // A path on a server does not tell the name that the forge has for it.
  return (
    key.startsWith("/") || key.startsWith("file:") || key.toLowerCase().endsWith(`/${name.toLowerCase()}`)
  );
}
