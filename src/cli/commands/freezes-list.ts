import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { freezeTimesText } from "#cli/views/freeze-text.ts";

export const freezesList = defineCommand({
  name: "freezes list",
  isGroupDefault: true,
  summary: "List freezes: times in which deployments wait",
  words: {},
  options: {},
  run: withSession(async (session) => {
    const { client, output } = session;
    const freezes = await readAll(client.listFreezes, (page) => page.freezes);
    if (!freezes.ok) return freezes;
    output.json({ freezes: freezes.value });
    const nameOf = await projectNames(
      session,
      freezes.value.flatMap(({ project_id: id }) => id ?? []),
    );
    output.table(
      ["NAME", "HOLDS", "TIMES", "NOW", "BEGINS", "ENDS", "CREATED BY", "ID"],
      freezes.value.map(({ name, project_id, times, active, window, created_by: creator, id }) => [
        printableName(name),
        project_id === null ? "all projects" : nameOf(project_id),
        freezeTimesText(times),
        active ? "holds" : window === null ? "over" : "",
        timeText(window?.from ?? null, output),
        timeText(window?.until ?? null, output),
        creator === null ? "–" : printableName(creator.name),
        output.style.dim(id),
      ]),
    );
    return done;
  }),
});
