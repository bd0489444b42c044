import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { findProject, shownName } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

export const maintenance = defineCommand({
  name: "maintenance",
  summary: "Show visitors a page instead of the site, or the site again",
  details: [
    "The page has the status 503. It stays until gantry maintenance off, also across deployments and restarts of the server. Health checks of deployments reach the site.",
    "The exit code is 0 only if the server has applied it. A server that is not connected does so when it connects again.",
  ],
  words: { state: { isRequired: true, choices: ["on", "off"], help: "on or off" } },
  options: {
    message: {
      kind: "text",
      short: "m",
      value: "TEXT",
      help: "What visitors read (default: a general message)",
    },
  },
  examples: ['maintenance on --message "Back at 14:00 UTC."', "maintenance off"],
  run: withSession(async (session, { words, options }) => {
    const on = words.state === "on";
    const { message } = options;
    if (!on && message !== null) return stop("usage", "--message is only for maintenance on.");
    const project = await findProject(session);
    if (!project.ok) return project;
    const { id } = project.value;
    const set = await session.client.setMaintenance({ params: { project_id: id }, body: { on, message } });
    if (!set.ok) return set;
    const { applied, detail } = set.value;
    session.output.json(set.value);
    if (applied) {
      session.output.line(`${shownName(session, project.value)}: maintenance is ${words.state}.`);
      return done;
    }
    session.output.note(`Stored, but the server has not applied it: ${detail ?? ""}`);
    return { ok: true, exit: "failed" };
  }),
});
