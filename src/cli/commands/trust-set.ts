import { TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import { MAX_LIFETIME_MINUTES, type TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { powerList } from "#contract/powers/scope-words.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import type { Options } from "#cli/arguments/command-spec.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { claimOptions, jobScopes, readClaims } from "#cli/identity/rule-options.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { findProjects, findTrustRule } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printTrustRule } from "#cli/views/trust-text.ts";

export const trustSet = defineCommand({
  name: "trust set",
  summary: "Change a trust rule: its claims, scopes, projects or lifetime",
  details: [
    "Each --branch, --tag, --environment and --claim replaces all values of its claim; other claims keep theirs. On GitHub, --branch and --tag are values of one claim: pass both, if jobs of both get a token. --remove-claim removes a claim.",
    "--scope and --only replace all scopes and projects. The repository and the issuer of a rule cannot change: create another rule. A change of claims, scopes, projects or audience revokes the tokens of its jobs: a running job needs a new one.",
  ],
  words: { rule: { isRequired: true, help: "Trust rule name or ID" } },
  options: {
    name: { kind: "text", value: "NAME", help: "Name of the rule" },
    ...claimOptions,
    "remove-claim": { kind: "list", value: "NAME", help: "No longer require this claim" },
    audience: { kind: "text", value: "TEXT", help: "Audience of the identity tokens" },
    scope: { kind: "list", short: "s", value: "SCOPE", choices: jobScopes, help: "Scope of the tokens" },
    only: { kind: "list", value: "PROJECT", help: "Limit the tokens to a project, by name or ID" },
    "all-projects": { kind: "flag", help: "Remove the limit to projects" },
    minutes: {
      kind: "text",
      value: "MINUTES",
      help: `Lifetime of a token, 5 to ${MAX_LIFETIME_MINUTES}`,
    },
  },
  examples: ["trust set shop --branch 'release/*' --minutes 10", "trust set shop --only shop --only blog"],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const { name, audience } = options;
    const minutes = options.minutes === null ? null : Number(options.minutes);
    if (minutes !== null && !Number.isInteger(minutes))
      return stop("usage", "--minutes must be a whole number.");
    if (options.only.length > 0 && options["all-projects"])
      return stop("usage", "Pass either --only or --all-projects.");
    const scopes = jobScopes.filter((scope) => options.scope.includes(scope));
    const found = await findTrustRule(session, words.rule);
    if (!found.ok) return found;
    const params = { trust_rule_id: found.value.id };
    const claims = changesClaims(options) ? newClaims(await client.getTrustRule({ params }), options) : null;
    if (claims?.ok === false) return claims;
    const projects = await findProjects(session, options.only);
    if (!projects.ok) return projects;
    const body = {
      ...givenFields({ name, audience, lifetime_minutes: minutes, claims: claims?.value ?? null }),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(projects.value.length === 0 ? {} : { project_ids: projects.value }),
      ...(options["all-projects"] ? { project_ids: null } : {}),
    };
    if (Object.keys(body).length === 0)
      return stop("usage", "Pass at least one setting. See gantry trust set --help.");
    const changed = await client.updateTrustRule({ params, body });
    if (!changed.ok) return changed;
    printTrustRule(output, changed.value);
    const powers = powerList(scopes);
    if (powers.length > 0) output.note(`Its jobs can ${powers.join("; ")}.`);
    return done;
  }),
});

type ClaimOptions = Options<typeof claimOptions> & { readonly "remove-claim": readonly string[] };

function changesClaims({ branch, tag, environment, claim, "remove-claim": removed }: ClaimOptions): boolean {
  return [branch, tag, environment].some((one) => one !== null) || claim.length + removed.length > 0;
}

/** The claims of a rule after the change: the request replaces all of them. */
function newClaims(rule: Result<TrustRule>, options: ClaimOptions): Result<Record<string, string[]>> {
  if (!rule.ok) return rule;
  const provider = TrustProvider.options.find((one) => one === rule.value.provider);
  if (provider === undefined)
    return stop(
      "usage",
      "The rule is of a provider that this version of the command does not know. Update it.",
    );
  const given = readClaims(provider, options);
  if (!given.ok) return given;
  const kept = Object.entries(rule.value.claims).filter(([name]) => !options["remove-claim"].includes(name));
  return succeed({ ...Object.fromEntries(kept), ...given.value });
}
