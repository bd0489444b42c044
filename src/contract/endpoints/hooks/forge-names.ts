import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";

/** The names of the forges, for people. */
export const forgeNames: Readonly<Record<HookForge, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea or Forgejo",
  bitbucket: "Bitbucket",
  git: "Git server",
  registry: "Registry of images",
};
