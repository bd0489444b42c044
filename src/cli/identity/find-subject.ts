import * as z from "zod/mini";

import { type TrustProvider, trustProviders } from "#contract/endpoints/trust-rules/providers.ts";
import { repositoryKey } from "#contract/forge.ts";
import { succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { CommandContext } from "#cli/context.ts";
import { runForgeProgram } from "#cli/hooks/run-forge-program.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";

const Owner = z.object({ id: z.int() });
const Repository = z.object({ id: z.int(), owner: z.optional(Owner), namespace: z.optional(Owner) });

/** The claims with the ID of the repository's owner: a repository that is transferred keeps its own ID. */
const ownerClaims = { github: "repository_owner_id", gitlab: "namespace_id" } as const;

/** A repository as a trust rule names it. `claims`: the ID of its owner. */
export type FoundSubject = { readonly subject: string; readonly claims: Readonly<Record<string, string[]>> };

/** The IDs of a repository at GitHub or GitLab and of its owner. Runs gh or glab with the user's login. */
export async function findSubject(
  context: CommandContext,
  provider: TrustProvider,
  { repository, issuer }: { readonly repository: string | null; readonly issuer: string | null },
): Promise<Result<FoundSubject>> {
  const { label, subjectClaim, subjectForm, issuer: usual } = trustProviders[provider];
  const form = subjectForm === null ? "" : `, ${subjectForm.example}`;
  const hasRepositories = provider === "github" || provider === "gitlab";
  const source = provider === "other" ? "the identity tokens of your jobs" : label;
  if (!hasRepositories) return stop("usage", `Pass --subject: the ${subjectClaim} of ${source}${form}.`);
  const place = repository === null ? null : placeOf(repository, issuer ?? usual ?? "", provider);
  if (place === null)
    return stop("usage", `Pass --repository OWNER/NAME, or --subject: the ${subjectClaim}${form}.`);
  const { host, path } = place;
  const request =
    provider === "github"
      ? { program: "gh", address: `repos/${path}`, website: "https://cli.github.com" }
      : {
          program: "glab",
          address: `projects/${encodeURIComponent(path)}`,
          website: "https://gitlab.com/gitlab-org/cli",
        };
  const { program, address } = request;
  const ran = await runForgeProgram(context, { program, args: ["api", "--hostname", host, address] });
  if (!ran.ok) {
    const { reason, message } = ran;
    if (reason === "interrupted") return stop("interrupted", "No changes were made.");
    const why =
      reason === "not_installed"
        ? `${program} is not installed (${request.website}).`
        : `${program} could not find ${path}: ${printable(message) || "it printed nothing"}.`;
    return stop(
      "not_connected",
      `${why} Run ${program} auth login, or pass --subject: the ${subjectClaim}${form}.`,
    );
  }
  const found = Repository.safeParse(parseJson(ran.value));
  if (!found.success)
    return stop(
      "not_connected",
      `${program} printed no ID for ${path}. Pass --subject: the ${subjectClaim}${form}.`,
    );
  const { id, owner, namespace } = found.data;
  const ownerId = (owner ?? namespace)?.id;
  return succeed({
    subject: String(id),
    claims: ownerId === undefined ? {} : { [ownerClaims[provider]]: [String(ownerId)] },
  });
}

/** The hosts whose tokens have an issuer at another host. */
const ISSUER_OF_GITHUB = "token.actions.githubusercontent.com";

/** Where a repository is: of an address, its host; of OWNER/NAME, the host of the issuer. null: it is neither. */
function placeOf(
  repository: string,
  issuer: string,
  provider: "github" | "gitlab",
): { readonly host: string; readonly path: string } | null {
  if (/^(?:[\w.-]+\/)+[\w.-]+$/.test(repository)) {
    const host = URL.canParse(issuer) ? new URL(issuer).host : "";
    return {
      host: provider === "github" && host === ISSUER_OF_GITHUB ? "github.com" : host,
      path: repository,
    };
  }
  const [host = "", ...parts] = repositoryKey(repository).split("/");
  return host === "" || parts.length < 2 ? null : { host, path: parts.join("/") };
}
