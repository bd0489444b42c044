import { hookForgeOf } from "#contract/endpoints/hooks/hook-forge.ts";
import { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { repositoryOf } from "#cli/session/find-hook.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { printHook, printHookSteps } from "#cli/views/hook-facts.ts";

export const hookWords = {
  repository: { isRequired: false, help: "Address of the repository (default: the project's)" },
} as const;

export const hookOptions = {
  host: {
    kind: "text",
    value: "KIND",
    choices: HookForge.options,
    help: "Kind of git host, if the address does not tell it",
  },
} as const satisfies OptionSpecs;

export const hooksCreate = defineCommand({
  name: "hooks create",
  summary: "Create a hook and print its secret",
  details: ["The secret is shown only once. gantry hooks connect also adds the hook at the git host."],
  words: hookWords,
  options: hookOptions,
  examples: ["hooks create", "hooks create https://git.example.com/acme/shop.git --host gitea"],
  run: withSession(async (session, { words, options }) => {
    const wanted = await readHookInput(session, words.repository, options);
    if (!wanted.ok) return wanted;
    const hook = await session.client.createHook({ body: wanted.value });
    if (!hook.ok) return hook;
    const { secret, ...shown } = hook.value;
    session.output.json(hook.value);
    printHook(session.output, shown, secret, await projectNames(session, shown.project_ids));
    printHookSteps(session.output, shown);
    return done;
  }),
});

/** The repository and its kind of git host. */
export async function readHookInput(
  session: Session,
  word: string | null,
  options: Options<typeof hookOptions>,
): Promise<Result<{ readonly repository: string; readonly forge: HookForge }>> {
  const address = word === null ? await repositoryOf(session) : succeed(word);
  if (!address.ok) return address;
  const repository = address.value;
  const given = HookForge.options.find((one) => one === options.host);
  const forge = given ?? hookForgeOf(repository);
  return forge === null
    ? stop(
        "usage",
        `The address does not tell the kind of git host. Pass --host with one of ${HookForge.options.join(", ")}.`,
      )
    : succeed({ repository, forge });
}
