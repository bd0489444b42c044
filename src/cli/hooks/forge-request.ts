import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { repositoryKey } from "#contract/forge.ts";
import type { Growing } from "#contract/growing.ts";

/** A hook as a forge has to know it. */
export type ForgeHook = { readonly url: string; readonly secret: string };

/** A call of the forge's own program that adds a hook with the user's login. The body goes to its standard input. */
export type ForgeRequest = {
  readonly program: string;
  readonly args: readonly string[];
  readonly body: unknown;
  /** What to run to sign in. */
  readonly signIn: string;
  /** Where the program is from. */
  readonly website: string;
};

/**
 * The call that adds a hook to a repository; null for a forge without such a program. The secret is not among the
 * arguments, which other users of the machine can see.
 */
export function forgeRequest(
  forge: Growing<HookForge>,
  repository: string,
  { url, secret }: ForgeHook,
): ForgeRequest | null {
  const [host = "", ...parts] = repositoryKey(repository).split("/");
  const path = parts.join("/");
  switch (forge) {
    case "github":
      return {
        program: "gh",
        args: ["api", "--hostname", host, "--method", "POST", `repos/${path}/hooks`, "--input", "-"],
        body: {
          name: "web",
          active: true,
          events: ["push"],
          config: { url, secret, content_type: "json", insecure_ssl: "0" },
        },
        signIn: `gh auth login --hostname ${host} --scopes admin:repo_hook`,
        website: "https://cli.github.com",
      };
    case "gitlab":
      return {
        program: "glab",
        args: [
          ...["api", "--hostname", host, "--method", "POST", `projects/${encodeURIComponent(path)}/hooks`],
          ...["--header", "Content-Type: application/json", "--input", "-"],
        ],
        body: {
          url,
          // An older GitLab ignores the signing token, and sends the secret token instead.
          signing_token: secret,
          token: secret,
          push_events: true,
          tag_push_events: true,
          enable_ssl_verification: true,
        },
        signIn: `glab auth login --hostname ${host}`,
        website: "https://gitlab.com/gitlab-org/cli",
      };
    case "gitea":
      return {
        program: "tea",
        args: ["api", "-X", "POST", `/repos/${path}/hooks`, "-d", "@-"],
        body: {
          type: "gitea",
          active: true,
          events: ["push"],
          config: { url, secret, content_type: "json" },
        },
        signIn: `tea login add --url https://${host}`,
        website: "https://gitea.com/gitea/tea",
      };
    case "bitbucket":
    case "git":
    case "registry":
    default:
      return null;
  }
}
