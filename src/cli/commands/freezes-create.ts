import { type FreezeTimes, Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import type { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { freezeTimesText } from "#cli/views/freeze-text.ts";

export const freezesCreate = defineCommand({
  name: "freezes create",
  summary: "Create a freeze: a time in which deployments wait",
  details: [
    "Holds the deployments of all projects of the account, or with --project of one. With --day, the freeze holds every week on these days: --from and --to are times of day, such as 16:00, and a --to that is not after --from is on the next day. Without --day, it holds once: --from (default: now) and --to are times such as 2026-12-23T18:00, in this machine's time zone unless they name another.",
  ],
  words: { name: { isRequired: true, help: "Freeze name" } },
  options: {
    from: { kind: "text", value: "TIME", help: "When the freeze begins" },
    to: { kind: "text", value: "TIME", help: "When the freeze ends" },
    day: { kind: "list", short: "d", value: "DAY", choices: Weekday.options, help: "Day of the week" },
    timezone: {
      kind: "text",
      value: "ZONE",
      help: "Time zone of a weekly freeze, such as Europe/Berlin (default: this machine's)",
    },
  },
  examples: [
    'freezes create "Friday evening" --day friday --from 16:00 --to 00:00',
    "freezes create Holidays --from 2026-12-23T18:00 --to 2027-01-04T08:00 --project shop",
  ],
  run: withSession(async (session, { words, options }) => {
    const { client, output, global } = session;
    const times = readTimes(options);
    if (!times.ok) return times;
    const project = global.project === null ? null : await findProject(session);
    if (project !== null && !project.ok) return project;
    const project_id = project?.value.id ?? null;
    const created = await client.createFreeze({ body: { name: words.name, project_id, times: times.value } });
    if (!created.ok) return created;
    const isLate = options.from === null && !created.value.active;
    const begun = isLate ? await beginNow(session, created.value) : created;
    if (!begun.ok) return begun;
    const freeze = begun.value;
    const holds = freeze.active ? "It holds now." : "";
    output.json(freeze);
    output.line(
      `${printableName(freeze.name)} is created: ${freezeTimesText(freeze.times)}. ${holds}`.trimEnd(),
    );
    return done;
  }),
});

/** Begins a freeze by the control plane's clock. This machine's is ahead, so until then deployments would start. */
async function beginNow({ client }: Session, { id: freeze_id, times, created_at: from }: Freeze) {
  return await client.updateFreeze({ params: { freeze_id }, body: { times: { ...times, from } } });
}

type Given = {
  readonly from: string | null;
  readonly to: string | null;
  readonly day: readonly string[];
  readonly timezone: string | null;
};

/** The control plane checks times of day and the time zone. */
function readTimes({ from, to, day, timezone }: Given): Result<FreezeTimes> {
  if (to === null) return stop("usage", "Pass --to: when the freeze ends.");
  if (day.length > 0) {
    if (from === null) return stop("usage", "Pass --from: the time of day at which the freeze begins.");
    const days = Weekday.options.filter((name) => day.includes(name));
    const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    return succeed({ type: "weekly", days, from, to, timezone: zone });
  }
  if (timezone !== null) return stop("usage", "--timezone needs --day: other times name their own zone.");
  const [begins, ends] = [from === null ? Date.now() : Date.parse(from), Date.parse(to)];
  if (Number.isNaN(begins) || Number.isNaN(ends))
    return stop(
      "usage",
      "--from and --to must be times such as 2026-12-23T18:00. Pass --day for a weekly freeze.",
    );
  return succeed({
    type: "once",
    from: new Date(begins).toISOString(),
    to: new Date(ends).toISOString(),
  });
}
