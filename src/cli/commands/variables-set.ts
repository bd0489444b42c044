import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { BUILD_WITHOUT_SECRETS, buildOptions, readBuild } from "#cli/commands/build-options.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { changeVariables, type VariableToSet } from "#cli/variables/change-variables.ts";
import { secretNames, variableError } from "#cli/variables/check-variable.ts";
import { applyOptions, checkApply, endChange } from "#cli/variables/apply-change.ts";
import { findVariables } from "#cli/variables/find-variables.ts";
import { type Assignment, readAssignments } from "#cli/variables/read-assignments.ts";
import { noteNoEffect } from "#cli/variables/note-no-effect.ts";
import { readValue } from "#cli/variables/read-value.ts";
import { withSession } from "#cli/session/session.ts";
import { acceptKeyOption, trustSealKeys } from "#cli/variables/trust-seal-keys.ts";

export const variablesSet = defineCommand({
  name: "variables set",
  summary: "Set variables and secrets of a project",
  details: [
    "All changes of a call form one revision. All commands of the project get plain variables; release and activate commands get secrets, and builds get secrets with --build. GANTRY_REPOSITORY_TOKEN is the password of the repository's https address, and GANTRY_REGISTRY_TOKEN has a line USER:TOKEN@HOST for each private registry of base images.",
    "The value of a secret is never a command-line argument, because other users of the machine could see it. The command prompts for it, or reads it from a file or standard input, without one line break at the end. A secret stays a secret when its value changes.",
    "Secrets are sealed on this machine for the project's servers, so only their agents can read them. The fingerprint of a server's key is stored at first use. A changed key, and the key of a server that was added, are refused until you accept them.",
  ],
  words: {
    "name=value": { isRequired: false, isList: true, help: "Plain variable to set (can be repeated)" },
  },
  options: {
    secret: { kind: "list", value: "NAME", help: "Secret to set; prompts for its value" },
    "from-file": { kind: "list", value: "NAME=PATH", help: "Read the value of NAME from a file" },
    "from-stdin": { kind: "text", value: "NAME", help: "Read the value of NAME from standard input" },
    ...buildOptions,
    ...acceptKeyOption,
    ...applyOptions,
  },
  examples: [
    "variables set PUBLIC_URL=https://shop.example.com LOG_LEVEL=info",
    "variables set LOG_LEVEL=debug --apply",
    "variables set --secret DATABASE_PASSWORD",
    "variables set --secret NPM_TOKEN --from-stdin NPM_TOKEN --build < token.txt",
    "variables set --secret TLS_KEY --from-file TLS_KEY=key.pem",
  ],
  run: withSession(async (session, { words, options }) => {
    const build = readBuild(options);
    if (!build.ok) return build;
    const isApplicable = checkApply(options);
    if (!isApplicable.ok) return isApplicable;
    const assignments = readAssignments({
      plain: words["name=value"],
      secrets: options.secret,
      files: options["from-file"],
      stdin: options["from-stdin"],
    });
    if (!assignments.ok) return assignments;
    if (assignments.value.length === 0)
      return stop("usage", "Pass NAME=value or --secret NAME. See gantry variables set --help.");
    const found = await findVariables(session);
    if (!found.ok) return found;
    const { projectId, variables: before } = found.value;

    // Before any prompt, so that nobody types a secret in vain.
    const marked = markSecrets(assignments.value, before);
    if (!marked.ok) return marked;
    const acceptKeys = options["accept-key"];
    if (marked.value.some(({ isSecret }) => isSecret)) {
      const keys = await trustSealKeys(session, { projectId, current: before, acceptKeys });
      if (!keys.ok) return keys;
    } else if (build.value !== null) return stop("usage", BUILD_WITHOUT_SECRETS);

    const values = new Map<string, string>();
    for (const { name, source, isSecret } of marked.value) {
      const value = await readValue(session, name, source);
      if (!value.ok) return value;
      if (isSecret && value.value === "") return stop("usage", `The value of ${name} is empty.`);
      const wrong = variableError({
        name,
        value: value.value,
        isSecret,
        build: isSecret ? build.value : null,
      });
      if (wrong !== null) return stop("usage", `${name} cannot be set: ${wrong}.`);
      values.set(name, value.value);
    }
    const decide = (current: Variables): Result<VariableToSet[]> => {
      const now = markSecrets(assignments.value, current);
      if (!now.ok) return now;
      return succeed(
        now.value.map(({ name, isSecret }) => {
          return { name, isSecret, value: values.get(name) ?? "", build: isSecret ? build.value : null };
        }),
      );
    };
    const changed = await changeVariables(session, projectId, {
      before,
      decide,
      acceptKeys,
    });
    if (!changed.ok) return changed;
    const what = `Set ${[...values.keys()].join(", ")}`;
    noteNoEffect(session.output, values.keys());
    return endChange(session, changed.value, { projectId, before: before.revision, what }, options);
  }),
});

/** Marks the variables that are secrets already, too. Refuses a secret whose value is an argument. */
function markSecrets(assignments: readonly Assignment[], current: Variables): Result<Assignment[]> {
  const secrets = secretNames(current);
  const marked = assignments.map((one) => ({ ...one, isSecret: one.isSecret || secrets.has(one.name) }));
  const exposed = marked.find(({ isSecret, source }) => isSecret && source.from === "argument");
  if (exposed === undefined) return succeed(marked);
  const { name } = exposed;
  return stop(
    "usage",
    `${name} is a secret, so its value must not be an argument: other users of this machine can see it, and your shell history has it now. Pass --secret ${name} without the value, and consider a new one. To make ${name} a plain variable, remove it first.`,
  );
}
