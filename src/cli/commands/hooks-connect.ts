import type { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { isSameRepository } from "#contract/forge.ts";
import { findProgram } from "#build/tools/find-program.ts";
import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { hookOptions, hookWords, readHookInput } from "#cli/commands/hooks-create.ts";
import { forgeRequest, type ForgeRequest } from "#cli/hooks/forge-request.ts";
import { type ForgeFailure, runForgeProgram } from "#cli/hooks/run-forge-program.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { printHook, printHookSteps } from "#cli/views/hook-facts.ts";

export const hooksConnect = defineCommand({
  name: "hooks connect",
  summary: "Create a hook and add it at the git host, so that pushes are deployed",
  details: [
    "Uses your own login of gh (GitHub), glab (GitLab) or tea (Gitea, Forgejo), which Gantry never sees. For Bitbucket and registries of images it prints the steps. A hook that exists gets a new secret.",
  ],
  words: hookWords,
  options: hookOptions,
  examples: ["hooks connect", "hooks connect https://git.example.com/acme/shop.git --host gitea"],
  run: withSession(async (session, { words, options }) => {
    const { output } = session;
    const wanted = await readHookInput(session, words.repository, options);
    if (!wanted.ok) return wanted;
    const created = await createOrRotate(session, wanted.value);
    if (!created.ok) return created;
    const { secret, ...hook } = created.value;
    const request = forgeRequest(hook.forge, hook.repository, { url: hook.url, secret });
    const added = request === null ? null : await runForgeProgram(session, request);
    if (added?.ok) {
      output.json(hook);
      output.line(`Pushes to ${printableName(hook.repository)} are reported to ${hook.url}.`);
      return done;
    }
    output.json(created.value);
    printHook(output, hook, secret, await projectNames(session, hook.project_ids));
    printHookSteps(output, hook);
    return request === null || added === null ? done : notAdded(request, added);
  }),
});

/**
 * A new hook, or the existing one with a new secret: its own is no longer known. An existing hook is left alone if the
 * forge's program is missing, because a second rotation would end the secret that the forge has.
 */
async function createOrRotate(
  { client, output, environment }: Session,
  body: Parameters<Session["client"]["createHook"]>[0]["body"],
): Promise<Result<HookWithSecret>> {
  const created = await client.createHook({ body });
  if (created.ok || created.problem.code !== "hook_exists") return created;
  const hooks = await readAll(client.listHooks, (page) => page.hooks);
  if (!hooks.ok) return hooks;
  const existing = hooks.value.find((hook) => isSameRepository(hook.repository, body.repository));
  if (existing === undefined) return created;
  const request = forgeRequest(existing.forge, existing.repository, { url: existing.url, secret: "" });
  if (request !== null && (await findProgram(request.program, environment["PATH"] ?? "")) === null)
    return stop(
      "not_connected",
      `The repository has the hook ${existing.id} already, which was not changed, because ${notInstalled(request)}, or run gantry hooks rotate ${existing.id} and add the new secret by hand.`,
    );
  output.note(
    "The repository has a hook already. It gets a new secret; the old one works for another 24 hours. If the git host has a webhook for it already, delete that webhook there.",
  );
  return await client.rotateHook({ params: { hook_id: existing.id }, body: {} });
}

function notInstalled({ program, signIn, website }: ForgeRequest): string {
  return `${program} is not installed. Install it (${website}), sign in with ${signIn}, and run this again`;
}

/** The hook exists, but the forge does not know it: says what to do. */
function notAdded(request: ForgeRequest, { reason, message }: ForgeFailure) {
  const { program, signIn } = request;
  const manually = "or add the hook by hand, as described above";
  switch (reason) {
    case "interrupted":
      return stop("interrupted", "The hook was created, but not added at the git host.");
    case "not_installed":
      return stop("not_connected", `${notInstalled(request)}, ${manually}.`);
    case "failed":
      return stop(
        "not_connected",
        `${program} could not add the hook: ${printable(message) || "it printed nothing"}. Sign in with ${signIn}, check that you may change the repository's settings, and run this again, ${manually}.`,
      );
  }
}
