import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { limitOption, readLimit } from "#cli/commands/limit-option.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

export const variablesHistory = defineCommand({
  name: "variables history",
  summary: "List who changed which variables when, newest first",
  details: ["Values are not part of the history."],
  words: {},
  options: { ...limitOption("changes") },
  run: withSession(async (session, { options }) => {
    const { client, output } = session;
    const limit = readLimit(options);
    if (!limit.ok) return limit;
    const project = await findProject(session);
    if (!project.ok) return project;
    const params = { project_id: project.value.id };
    const revisions = await readAll(
      ({ query }) => client.listVariableRevisions({ params, query }),
      (page) => page.revisions,
      limit.value,
    );
    if (!revisions.ok) return revisions;
    output.json({ revisions: revisions.value });
    output.table(
      ["REVISION", "CHANGED", "BY", "SET", "REMOVED"],
      revisions.value.map(({ revision, changed_at: at, changed_by: by, set, removed }) => [
        `${revision}`,
        timeText(at, output),
        printableName(by.name),
        set.join(","),
        removed.join(","),
      ]),
    );
    return done;
  }),
});
