import { MAX_INSTANCES } from "#contract/endpoints/processes/process-settings.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { configDetails, startOptions } from "#cli/session/follow-options.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { emergencyField } from "#cli/session/emergency-option.ts";
import { findProject } from "#cli/session/find-named.ts";
import { printStarted } from "#cli/session/print-started.ts";
import { withSession } from "#cli/session/session.ts";

export const scale = defineCommand({
  name: "scale",
  summary: "Set how many instances of processes run",
  details: [
    "The numbers are settings of the project, so later deployments keep them. Instances that already run are not restarted.",
    `Each process has a deployment of its own. With --follow, each deployment begins when the deployment before it is live. ${configDetails}`,
    "Freezes and approvals do not hold it. It then changes only the numbers: other settings and variables that were saved since wait for gantry apply.",
  ],
  words: {
    "process=count": {
      isRequired: true,
      isList: true,
      help: `Process and its number of instances, 0 to ${MAX_INSTANCES}`,
    },
  },
  options: startOptions,
  examples: ["scale web=3", "scale web=2 worker=1 --follow"],
  run: withSession(async (session, { words, options }) => {
    const counts = readCounts(words["process=count"]);
    if (!counts.ok) return counts;
    const project = await findProject(session);
    if (!project.ok) return project;
    const { id } = project.value;
    for (const [process, instances] of counts.value) {
      const params = { project_id: id, process };
      const updated = await session.client.updateProcess({
        params,
        body: { instances, ...emergencyField(options) },
      });
      if (!updated.ok) return updated;
      const { deployment } = updated.value;
      if (deployment === null) {
        session.output.json(updated.value);
        session.output.line(`${process}: ${instances} from the first deployment on. Nothing is live yet.`);
        continue;
      }
      const what = `Change of ${process} to ${instances}`;
      const outcome = await printStarted(session, { ...updated, value: deployment }, { what, ...options });
      if (!outcome.ok || outcome.exit !== "done") return outcome;
    }
    return done;
  }),
});

function readCounts(words: readonly string[]): Result<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const word of words) {
    const [, process, count] = /^([^=]+)=(\d{1,4})$/.exec(word) ?? [];
    if (process === undefined) return stop("usage", `${word} is not PROCESS=COUNT, such as web=3.`);
    if (Number(count) > MAX_INSTANCES)
      return stop("usage", `${word}: a process can have at most ${MAX_INSTANCES} instances.`);
    if (counts.has(process)) return stop("usage", `${process} is named twice.`);
    counts.set(process, Number(count));
  }
  return succeed(counts);
}
