import { VariableName, type Variables } from "#contract/endpoints/variables/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { BUILD_WITHOUT_SECRETS, buildOptions, readBuild } from "#cli/commands/build-options.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { applyOptions, checkApply, endChange } from "#cli/variables/apply-change.ts";
import { findVariables } from "#cli/variables/find-variables.ts";
import { withSession } from "#cli/session/session.ts";
import { changeVariables, type VariableToSet } from "#cli/variables/change-variables.ts";
import { secretNames, variableError } from "#cli/variables/check-variable.ts";
import { noteNoEffect } from "#cli/variables/note-no-effect.ts";
import { readEnvFile } from "#cli/variables/read-env-file.ts";
import type { EnvEntry } from "#client/read-env.ts";
import { acceptKeyOption } from "#cli/variables/trust-seal-keys.ts";

export const variablesImport = defineCommand({
  name: "variables import",
  summary: "Set the variables of a .env file",
  details: [
    "All variables of the file form one revision, and other variables stay as they are. If a line is not valid, nothing is sent.",
    'The file has lines NAME=value, also with export, and comments. Values can be in single quotes, which keep everything as it is, or in double quotes with \\n, \\r, \\t, \\", \\\\ and \\$; both can have several lines. $NAME is not replaced. In a value without quotes, a # after a space starts a comment.',
    "Variables are plain unless --secret or --all-secret says otherwise, but a secret stays a secret. Secrets are sealed on this machine, as variables set does.",
  ],
  words: { file: { isRequired: true, help: "Path of the file, or - for standard input" } },
  options: {
    secret: { kind: "list", value: "NAME", help: "Variable of the file that is a secret" },
    "all-secret": { kind: "flag", help: "All variables of the file are secrets" },
    ...buildOptions,
    ...acceptKeyOption,
    ...applyOptions,
  },
  examples: ["variables import .env --secret DATABASE_PASSWORD", "variables import secrets.env --all-secret"],
  run: withSession(async (session, { words, options }) => {
    const build = readBuild(options);
    if (!build.ok) return build;
    const isApplicable = checkApply(options);
    if (!isApplicable.ok) return isApplicable;
    const entries = await readEnvFile(session, words.file);
    if (!entries.ok) return entries;
    const named = checkNames(options.secret, entries.value, words.file);
    if (!named.ok) return named;
    const found = await findVariables(session);
    if (!found.ok) return found;
    const { projectId, variables: before } = found.value;

    const decide = (current: Variables): Result<VariableToSet[]> => {
      const known = secretNames(current);
      const isSecret = (name: string) =>
        options["all-secret"] || options.secret.includes(name) || known.has(name);
      const set = entries.value.map(({ name, value }) => {
        return { name, value, isSecret: isSecret(name), build: isSecret(name) ? build.value : null };
      });
      if (build.value !== null && !set.some((one) => one.isSecret))
        return stop("usage", BUILD_WITHOUT_SECRETS);
      const wrong = set.find((one) => variableError(one) !== null);
      return wrong === undefined
        ? succeed(set)
        : stop("usage", `${wrong.name} cannot be set: ${variableError(wrong) ?? ""}.`);
    };
    const changed = await changeVariables(session, projectId, {
      before,
      decide,
      acceptKeys: options["accept-key"],
    });
    if (!changed.ok) return changed;
    noteNoEffect(
      session.output,
      entries.value.map(({ name }) => name),
    );
    const count = entries.value.length;
    const what = `Set ${count === 1 ? "1 variable" : `${count} variables`} of ${words.file}`;
    return endChange(session, changed.value, { projectId, before: before.revision, what }, options);
  }),
});

/** Refuses a name of --secret that the file does not have. Never quotes anything but a valid name. */
function checkNames(names: readonly string[], entries: readonly EnvEntry[], file: string): Result<true> {
  const unknown = names.find((name) => !entries.some((entry) => entry.name === name));
  if (unknown === undefined) return succeed(true);
  return VariableName.safeParse(unknown).success
    ? stop("usage", `${file} has no variable ${unknown}.`)
    : stop("usage", "--secret takes only the name of a variable.");
}
