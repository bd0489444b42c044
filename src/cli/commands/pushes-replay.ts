import { PushId } from "#contract/ids.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { findHook } from "#cli/session/find-hook.ts";
import { withSession } from "#cli/session/session.ts";
import { pushColumns, pushRow } from "#cli/views/hook-facts.ts";

export const pushesReplay = defineCommand({
  name: "pushes replay",
  summary: "Decide about a push again, with the current settings",
  details: ["Deploys what the branch points to now. Skip markers in the commit's message do not count."],
  words: { push: { isRequired: true, help: "Push ID, from gantry pushes" } },
  options: {
    hook: {
      kind: "text",
      value: "HOOK",
      help: "Hook that received it, by its ID or repository (default: the project's)",
    },
  },
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const push = PushId.safeParse(words.push);
    if (!push.success)
      return stop("usage", "Pass the ID of a push, such as push_01…; gantry pushes lists it.");
    const hook = await findHook(session, options.hook);
    if (!hook.ok) return hook;
    const params = { hook_id: hook.value.id, push_id: push.data };
    const replayed = await client.replayPush({ params, body: {} });
    if (!replayed.ok) return replayed;
    output.json(replayed.value);
    output.table(
      pushColumns,
      replayed.value.pushes.map((one) => pushRow(one, output)),
    );
    return done;
  }),
});
