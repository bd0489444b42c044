import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { repositoryPageAtForge } from "#contract/forge.ts";

/** Where a person adds a hook to a repository. */
export type HookSettings = {
  /** The page for it, if the repository's address tells it. */
  readonly settingsUrl: string | null;
  /** One sentence each. */
  readonly steps: readonly string[];
};

const pages: Readonly<Record<HookForge, string | null>> = {
  github: "/settings/hooks",
  gitlab: "/-/hooks",
  gitea: "/settings/hooks",
  bitbucket: "/admin/webhooks",
  git: null,
  registry: null,
};

const stepsFor: Readonly<Record<HookForge, readonly string[]>> = {
  github: [
    "Open the repository's Settings → Webhooks, and choose “Add webhook”.",
    "Paste the address into “Payload URL” and the secret into “Secret”. Set “Content type” to application/json.",
    "Leave “Enable SSL verification” on, choose “Just the push event”, and save.",
  ],
  gitlab: [
    "Open the project's Settings → Webhooks, and choose “Add new webhook”.",
    "Paste the address into “URL” and the secret into “Signing token”. If the form lets you only generate one, paste the secret into “Secret token” instead.",
    "Turn on “Push events” for all branches and “Tag push events”, leave “Enable SSL verification” on, and save.",
  ],
  gitea: [
    "Open the repository's Settings → Webhooks, and choose “Add Webhook” → “Gitea” or “Forgejo”.",
    "Paste the address into “Target URL” and the secret into “Secret”. Leave the method POST and the content type application/json.",
    "Leave “Push Events” and “Active” on, and save.",
  ],
  bitbucket: [
    "Open Repository settings → Webhooks, and choose “Add webhook”.",
    "Paste the address into “URL” and the secret into “Secret”. Leave “Active” on and “Skip certificate verification” off.",
    "Leave the trigger “Repository push” on, and save.",
  ],
  git: [
    "On the git server, write the secret into the file gantry-secret in the folder of the bare repository, which only the user of git can read.",
    "Save the script of {docs}/forges/git as hooks/post-receive there, with the address in its first lines, and make it executable.",
  ],
  registry: [
    "With Distribution: add an endpoint to its configuration as {docs}/forges/registry shows, with the address and the header Authorization, whose value is Bearer, a space and the secret. Restart it.",
    "With Harbor instead: open the project's Webhooks, and choose “New Webhook”. Select the notify type HTTP and the event “Artifact pushed”, paste the address into “Endpoint URL”, and write Bearer, a space and the secret into “Auth Header”.",
  ],
};

/**
 * Where to add a hook to the repository with this address, and how.
 * @param docs the address of the installation's documentation
 */
export function hookSettingsOf(forge: HookForge, repository: string, docs: string): HookSettings {
  const page = repositoryPageAtForge(repository);
  const settings = pages[forge];
  return {
    settingsUrl: page === null || settings === null ? null : `${page}${settings}`,
    steps: stepsFor[forge].map((step) => step.replace("{docs}", () => docs)),
  };
}
