import { TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import { DEFAULT_LIFETIME_MINUTES, MAX_LIFETIME_MINUTES } from "#contract/endpoints/trust-rules/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { powerList } from "#contract/powers/scope-words.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { findSubject } from "#cli/identity/find-subject.ts";
import { claimOptions, jobScopes, readClaims } from "#cli/identity/rule-options.ts";
import { done, stop } from "#cli/outcome.ts";
import { findProjects } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printTrustRule } from "#cli/views/trust-text.ts";

export const trustCreate = defineCommand({
  name: "trust create",
  summary: "Create a trust rule: jobs of a repository get tokens without a stored secret",
  details: [
    "A job of the repository gets a token with each --scope, by default deployments:write, if it matches all options: --branch and --environment must both match. Names of branches and tags can end with *. --claim can be repeated: several values of one claim allow any of them. On Buildkite, create one rule for branches and another one for tags.",
    "The rule has the ID of the repository or pipeline, because another one could take over its name. For github and gitlab, --repository finds it and the ID of the owner by running gh or glab with your login. Otherwise pass --subject: for circleci the project ID, for buildkite the pipeline ID, for bitbucket the repository UUID with its braces, and for another issuer the value of sub. For bitbucket, --environment takes the UUID of the environment.",
    "Without --only, the tokens can access all projects.",
  ],
  words: { name: { isRequired: true, help: "Trust rule name, which deployments show as who started them" } },
  options: {
    provider: {
      kind: "text",
      value: "PROVIDER",
      choices: TrustProvider.options,
      help: "CI system (default: github)",
    },
    repository: {
      kind: "text",
      short: "r",
      value: "URL",
      help: "Repository at GitHub or GitLab, also as OWNER/NAME",
    },
    subject: { kind: "text", value: "ID", help: "ID of the repository or pipeline" },
    issuer: {
      kind: "text",
      value: "URL",
      help: "Issuer of the identity tokens, if the provider has several",
    },
    ...claimOptions,
    audience: {
      kind: "text",
      value: "TEXT",
      help: "Audience of the identity tokens (default: the installation's URL, for which gantry asks GitHub and Buildkite)",
    },
    scope: { kind: "list", short: "s", value: "SCOPE", choices: jobScopes, help: "Scope of the tokens" },
    only: { kind: "list", value: "PROJECT", help: "Limit the tokens to a project, by name or ID" },
    minutes: {
      kind: "text",
      value: "MINUTES",
      help: `Lifetime of a token, 5 to ${MAX_LIFETIME_MINUTES} (default: ${DEFAULT_LIFETIME_MINUTES})`,
    },
  },
  examples: [
    "trust create shop --repository acme/shop --branch main --only shop",
    "trust create shop --provider gitlab --repository acme/shop --environment production --only shop",
    "trust create shop --provider buildkite --subject 0190d3c5-1e7c-4b5f-8a9e-4bfa3d4b6a11 --branch main --only shop",
  ],
  run: withSession(async (session, { words, options }) => {
    const provider = TrustProvider.options.find((one) => one === (options.provider ?? "github")) ?? "github";
    const claims = readClaims(provider, options);
    if (!claims.ok) return claims;
    const minutes = options.minutes === null ? null : Number(options.minutes);
    if (minutes !== null && !Number.isInteger(minutes))
      return stop("usage", "--minutes must be a whole number.");
    const chosen = jobScopes.filter((scope) => options.scope.includes(scope));
    const scopes = chosen.length === 0 ? (["deployments:write"] as const) : chosen;
    const projects = await findProjects(session, options.only);
    if (!projects.ok) return projects;
    if (options.subject !== null && options.repository !== null)
      return stop("usage", "Pass either --subject or --repository, which finds the subject.");
    const subject =
      options.subject === null
        ? await findSubject(session, provider, options)
        : succeed({ subject: options.subject, claims: {} });
    if (!subject.ok) return subject;
    const created = await session.client.createTrustRule({
      body: {
        ...{ name: words.name, provider, subject: subject.value.subject, scopes: [...scopes] },
        claims: { ...subject.value.claims, ...claims.value },
        ...givenFields({
          issuer: options.issuer,
          audience: options.audience,
          project_ids: projects.value.length === 0 ? null : projects.value,
          lifetime_minutes: minutes,
        }),
      },
    });
    if (!created.ok) return created;
    const rule = created.value;
    const { output } = session;
    printTrustRule(output, rule);
    const powers = powerList(scopes);
    if (powers.length > 0) output.note(`Its jobs can ${powers.join("; ")}.`);
    return done;
  }),
});
