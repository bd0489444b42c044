import { type Endpoint, scopeOf } from "#contract/endpoints/endpoint.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { missingPermission } from "#contract/may-call.ts";
import { powerList, scopeWords } from "#contract/powers/scope-words.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { DEFAULT_LIFETIME_DAYS, MAX_LIFETIME_DAYS } from "#contract/endpoints/tokens/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done, stop } from "#cli/outcome.ts";
import { findProjects } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printSecret } from "#cli/views/token-secret.ts";

export const tokensCreate = defineCommand({
  name: "tokens create",
  summary: "Create an API token and print its secret",
  details: [
    "The secret is shown only once. Nothing else goes to stdout, so you can pipe it to another program.",
  ],
  words: { name: { isRequired: true, help: "Token name" } },
  options: {
    scope: {
      kind: "list",
      short: "s",
      value: "SCOPE",
      choices: allScopes,
      choiceTexts: scopeWords,
      help: "Scope to grant",
    },
    only: { kind: "list", value: "PROJECT", help: "Limit the token to a project, by name or ID" },
    days: {
      kind: "text",
      value: "DAYS",
      help: `Lifetime in days, 1 to ${MAX_LIFETIME_DAYS} (default: ${DEFAULT_LIFETIME_DAYS})`,
    },
  },
  examples: ["tokens create ci --scope deployments:write --only shop --days 30"],
  run: withSession(async (session, { words, options }) => {
    const scopes = allScopes.filter((scope) => options.scope.includes(scope));
    if (scopes.length === 0) return stop("usage", `Pass at least one --scope: ${allScopes.join(", ")}.`);
    const days = options.days === null ? null : Number(options.days);
    if (days !== null && !Number.isInteger(days)) return stop("usage", "--days must be a whole number.");
    const projects = await findProjects(session, options.only);
    if (!projects.ok) return projects;
    const unusable = projects.value.length === 0 ? [] : scopes.filter(isOnlyForAccount);
    if (unusable.length > 0)
      session.output.note(
        `Warning: with --only, ${unusable.join(" and ")} allows no changes: it needs a token for all projects.`,
      );
    const token = await session.client.createToken({
      body: {
        name: words.name,
        scopes,
        ...givenFields({
          project_ids: projects.value.length === 0 ? null : projects.value,
          expires_in_days: days,
        }),
      },
    });
    if (!token.ok) return token;
    const powers = powerList(scopes);
    if (powers.length > 0) session.output.note(`Anyone who has the token can ${powers.join("; ")}.`);
    printSecret(session.output, token.value, "Its secret is shown only once");
    return done;
  }),
});

/** Whether every endpoint that takes the scope refuses tokens that are limited to projects. */
function isOnlyForAccount(scope: Scope): boolean {
  return Object.values<Endpoint>(userEndpoints)
    .filter(({ access }) => scopeOf(access) === scope)
    .every(({ access }) => missingPermission(access, [{ scopes: [scope], projectIds: [] }]) === "account");
}
