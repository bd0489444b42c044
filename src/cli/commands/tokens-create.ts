import type { ProjectId } from "#contract/ids.ts";
import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { type Endpoint, scopeOf } from "#contract/endpoints/endpoint.ts";
import { lackOf } from "#contract/may-call.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { DEFAULT_LIFETIME_DAYS, MAX_LIFETIME_DAYS } from "#contract/endpoints/tokens/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-project.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { printSecret } from "#cli/views/token-secret.ts";
import { succeed } from "#contract/lib/result.ts";

export const tokensCreate = defineCommand({
  name: "tokens create",
  summary: "Make a token, and see its secret this once",
  details: ["The secret alone goes to stdout, so that it can be handed on without a person seeing it."],
  words: { name: { isRequired: true, help: "What it is for" } },
  options: {
    scope: { kind: "list", short: "s", value: "SCOPE", choices: allScopes, help: "What it may do" },
    only: { kind: "list", value: "PROJECT", help: "Limit it to a project, by name or id" },
    days: {
      kind: "text",
      value: "DAYS",
      help: `How long it counts: 1 to ${MAX_LIFETIME_DAYS}, ${DEFAULT_LIFETIME_DAYS} without it`,
    },
  },
  examples: ["tokens create ci --scope deployments:write --only shop --days 30"],
  run: withSession(async (session, { words, options }) => {
    const scopes = allScopes.filter((scope) => options.scope.includes(scope));
    if (scopes.length === 0)
      return stop("usage", `Say what the token may do: --scope ${allScopes.join(", ")}.`);
    const days = options.days === null ? null : Number(options.days);
    if (days !== null && !Number.isInteger(days)) return stop("usage", "--days is a whole number.");
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
    printSecret(session.output, token.value, "It is shown this once");
    return done;
  }),
});

/** Whether every endpoint that takes the scope refuses tokens that are limited to projects. */
function isOnlyForAccount(scope: Scope): boolean {
  return Object.values<Endpoint>(clientEndpoints)
    .filter(({ access }) => scopeOf(access) === scope)
    .every(({ access }) => lackOf(access, [scope], true) === "account");
}

async function findProjects(session: Session, words: readonly string[]): Promise<Result<ProjectId[]>> {
  const ids: ProjectId[] = [];
  for (const word of words) {
    const project = await findProject(session, word);
    if (!project.ok) return project;
    ids.push(project.value.id);
  }
  return succeed(ids);
}
