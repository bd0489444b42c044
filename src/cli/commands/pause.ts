import { MAX_PAUSE_SECONDS } from "#contract/endpoints/traffic/pause.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { findProject, shownName } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

const project = { isRequired: false, help: "Project name or ID (default: the linked project)" } as const;

export const pause = defineCommand({
  name: "pause",
  summary: "Hold the requests to a project for some seconds",
  details: [
    "Visitors' requests wait, and pass when the pause ends: none is refused. The pause ends by itself, also if the server's agent or this command is interrupted. gantry resume ends it earlier.",
    "WebSockets and requests that the app has already received continue. Health checks of deployments are not held.",
  ],
  words: { project },
  options: {
    seconds: {
      kind: "text",
      value: "SECONDS",
      help: `How long: 1 to ${MAX_PAUSE_SECONDS} (default: ${MAX_PAUSE_SECONDS})`,
    },
  },
  examples: ["pause --seconds 20", "pause shop"],
  run: withSession(async (session, { words, options }) => {
    const seconds = options.seconds === null ? MAX_PAUSE_SECONDS : Number(options.seconds);
    if (!(Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_PAUSE_SECONDS))
      return stop("usage", `--seconds must be a whole number from 1 to ${MAX_PAUSE_SECONDS}.`);
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const { id } = found.value;
    const paused = await session.client.pauseProject({ params: { project_id: id }, body: { seconds } });
    if (!paused.ok) return paused;
    session.output.json(paused.value);
    session.output.line(`${shownName(session, found.value)}: requests are held for ${seconds} s.`);
    return done;
  }),
});

export const resume = defineCommand({
  name: "resume",
  summary: "Let the requests through that gantry pause holds",
  words: { project },
  options: {},
  examples: ["resume", "resume shop"],
  run: withSession(async (session, { words }) => {
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const { id } = found.value;
    const resumed = await session.client.resumeProject({ params: { project_id: id }, body: {} });
    if (!resumed.ok) return resumed;
    session.output.json(resumed.value);
    session.output.line(`${shownName(session, found.value)}: requests pass.`);
    return done;
  }),
});
