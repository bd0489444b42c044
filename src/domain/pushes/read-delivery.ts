import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { CommitSha } from "#contract/git-names.ts";
import type { Delivery } from "#domain/pushes/delivery.ts";
import { readBitbucket } from "#domain/pushes/forges/bitbucket.ts";
import { readGit } from "#domain/pushes/forges/git.ts";
import { readGitHub } from "#domain/pushes/forges/github.ts";
import { readGitLab } from "#domain/pushes/forges/gitlab.ts";
import { readGitea } from "#domain/pushes/forges/gitea.ts";
import { readRegistry } from "#domain/pushes/forges/registry.ts";
import type { Push } from "#domain/pushes/push.ts";

/** Longer than a ref can be in a repository of git. */
const MAX_REF = 4_096;

/** Reads what a forge reports. @param event the forge's name of the event, from its header */
export function readDelivery(forge: HookForge, event: string, body: unknown): Delivery {
  const delivery = readOf(forge, event, body);
  const field = delivery.kind === "pushes" ? delivery.pushes.map(impossibleField).find(isField) : undefined;
  return field === undefined ? delivery : { kind: "malformed", field };
}

const isField = (field: string | null) => field !== null;

/** What git cannot have: refs and commits become the ledger's rows, and an order to the agent. */
function impossibleField({ ref, before, after }: Push): "ref" | "before" | "after" | null {
  const isCommit = (sha: string | null) => sha === null || CommitSha.safeParse(sha).success;
  if (ref.length > MAX_REF) return "ref";
  if (!isCommit(before)) return "before";
  return isCommit(after) ? null : "after";
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
    case "git":
      return readGit(event, body);
    case "registry":
      return readRegistry(body);
  }
}

/** Where a delivery says which repository it is about. */
export const repositoryFields: Readonly<Record<HookForge, string>> = {
  github: "repository.full_name",
  gitlab: "project.path_with_namespace",
  gitea: "repository.full_name",
  bitbucket: "repository.full_name",
  git: "the line repository",
  registry: "target.repository or repo_full_name",
};

/** What the key of a repository of images begins with. */
const IMAGES = "docker://";

/** The name with which deliveries are about the repository of a hook. @param key as for `isAboutRepository` */
export function expectedName(forge: HookForge, key: string): string {
  const [, ...path] = key.replace(IMAGES, "").split("/");
  return (forge === "git" ? path.slice(-1) : path).join("/");
}

/**
 * Whether a delivery is about the repository of a hook. The host is not compared, because a forge may have another name
 * for itself than the servers that read from it.
 * @param key of the hook's repository (`repositoryKey`)
 * @param name `owner/name`, from the delivery
 */
export function isAboutRepository(key: string, name: string): boolean {
  // The names in a registry are exact, and have lower case only.
  if (key.startsWith(IMAGES)) return expectedName("registry", key) === name;
  // A path on a server does not tell the name that the forge has for it.
  return (
    key.startsWith("/") || key.startsWith("file:") || key.toLowerCase().endsWith(`/${name.toLowerCase()}`)
  );
}
