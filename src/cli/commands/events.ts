import { followEvents } from "#client/follow-events.ts";
import { readAll } from "#client/read-all.ts";
import { EventPattern, nearestPattern } from "#contract/endpoints/events/patterns.ts";
import type { ReadEvent } from "#contract/endpoints/events/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { limitOption, readLimit } from "#cli/commands/limit-option.ts";
import { done, stop } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { timeText } from "#cli/output/times.ts";
import { findProject } from "#cli/session/find-named.ts";
import { printFollowed } from "#cli/session/print-followed.ts";
import { withSession } from "#cli/session/session.ts";
import { eventColumns, eventRow } from "#cli/views/event-text.ts";

export const events = defineCommand({
  name: "events",
  summary: "List what has changed, newest first, or follow it",
  details: [
    "Shows the events of all projects, servers and settings that the token can see; with --project, the events of one project. With --follow, prints the latest events, oldest first, then each new event until Ctrl-C. With --follow and --json, prints one JSON object per line: the event.",
  ],
  words: {},
  options: {
    follow: { kind: "flag", short: "f", help: "Print new events as they happen" },
    type: {
      kind: "list",
      short: "t",
      value: "TYPE",
      help: "Filter by type, such as deployment.failed or server.*",
    },
    ...limitOption("events"),
  },
  examples: ["events -f", "events --type deployment.* --project shop"],
  run: withSession(async (session, { options }) => {
    const { client, output, transport, global, signal } = session;
    const limit = readLimit(options);
    if (!limit.ok) return limit;
    const types = options.type.flatMap((type) => type.split(","));
    const unknown = types.find((type) => !EventPattern.safeParse(type).success);
    if (unknown !== undefined)
      return stop("usage", `There is no type of event ${unknown}.${nearestPattern(unknown)}`);
    const project = global.project === null ? null : await findProject(session);
    if (project !== null && !project.ok) return project;
    const filters = givenFields({
      project_id: project === null ? null : project.value.id,
      type: types.length === 0 ? null : types.join(","),
    });
    const found = await readAll(
      ({ query }) => client.listEvents({ query: { ...filters, ...query } }),
      (page) => page.events,
      limit.value,
    );
    if (!found.ok) return found;
    if (!options.follow) {
      output.json({ events: found.value });
      output.table(
        eventColumns,
        found.value.map((event) => eventRow(event, timeText(event.timestamp, output))),
      );
      return done;
    }
    for (const event of found.value.toReversed()) printEvent(output, event);
    const after = found.value[0]?.data.sequence ?? 0;
    const followed = followEvents(transport, { query: filters, after, signal });
    return await printFollowed(session, followed, ({ event }) => printEvent(output, event));
  }),
});

function printEvent(output: Output, event: ReadEvent): void {
  output.json(event);
  const { form, style } = output;
  // The time of day suffices for what happens now.
  const time = form === "terminal" ? new Date(event.timestamp).toLocaleTimeString() : event.timestamp;
  const [at = "", type = "", about = "", by = ""] = eventRow(event, time);
  if (form === "plain") return output.line([at, type, about, by].join("\t"));
  output.line(`${style.dim(at)} ${type.padEnd(TYPE_WIDTH)} ${about} ${style.dim(`by ${by}`)}`);
}

const TYPE_WIDTH = Math.max(...EventPattern.options.map(({ length }) => length));
