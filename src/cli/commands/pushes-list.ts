import type { Push } from "#contract/endpoints/hooks/schemas.ts";
import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { limitOption, readLimit } from "#cli/commands/limit-option.ts";
import { done } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { findHook } from "#cli/session/find-hook.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { pushColumns, pushRow } from "#cli/views/hook-facts.ts";

export const pushesList = defineCommand({
  name: "pushes list",
  isGroupDefault: true,
  summary: "List pushes with what was decided about them, newest first",
  details: [
    "Shows why a push was not deployed. With --hook, also lists deliveries that were refused or that concern no project.",
  ],
  words: {},
  options: {
    hook: { kind: "text", value: "HOOK", help: "List what arrived at a hook, by its ID or repository" },
    ...limitOption("pushes"),
  },
  examples: ["pushes", "pushes --hook git@github.com:acme/shop.git -n 5"],
  run: withSession(async (session, { options }) => {
    const { client, output } = session;
    const limit = readLimit(options);
    if (!limit.ok) return limit;
    const hook = options.hook === null ? null : await findHook(session, options.hook);
    if (hook !== null && !hook.ok) return hook;
    const project = hook === null ? await findProject(session) : null;
    if (project !== null && !project.ok) return project;
    const rows = await readAll(
      ({ query }) =>
        project === null
          ? client.listHookPushes({ params: { hook_id: hook?.value.id ?? "" }, query })
          : client.listProjectPushes({ params: { project_id: project.value.id }, query }),
      (page) => page.pushes,
      limit.value,
    );
    if (!rows.ok) return rows;
    output.json({ pushes: rows.value });
    output.table(
      pushColumns,
      rows.value.map((push) => pushRow(push, output)),
    );
    const [newest] = rows.value;
    if (newest !== undefined && newest.detail !== null)
      output.note(printable(`The newest: ${newest.detail}`));
    if (newest !== undefined && isWorthReplaying(newest))
      output.note(`To decide about it again, run gantry pushes replay ${newest.id}.`);
    return done;
  }),
});

/** A push that started nothing, and would not start a second deployment. */
function isWorthReplaying({ decision, reason, after }: Push): boolean {
  return decision !== "deployed" && reason !== "duplicate" && after !== null;
}
