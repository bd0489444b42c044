import { shellWord } from "#node/shell-quote.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { type Outcome, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { followRun, patientSession, withRunExit } from "#cli/session/follow-run.ts";
import { chosenServer, onOption } from "#cli/session/project-servers.ts";
import { type Session, withSession } from "#cli/session/session.ts";

export const runCommand = defineCommand({
  name: "run",
  summary: "Run a command in the live release",
  details: [
    "Runs the command on the project's server, or on one of several, with the variables of the live deployment, and prints its output. Several words are passed as they are; a single word is a line for the shell. The server's policy must allow it, and the token needs the scope commands:run.",
    "Ctrl-C stops the command on the server. If the connection is lost, the command continues, and its output is read again from where it ended.",
    "The exit code is the command's. 124: it was stopped at its time limit. 128 and more: a signal ended it. 101 to 105: a problem of Gantry, with 100 added to its usual exit code.",
  ],
  words: { command: { isRequired: true, isList: true, help: "Command and its arguments, after --" } },
  otherNames: { server: "on" },
  options: {
    timeout: { kind: "text", value: "SECONDS", help: "Stop the command after this time (default: 3600)" },
    ...onOption,
  },
  examples: [
    "run -- npm run migrate",
    "run --project shop -- bin/rails db:migrate",
    "run --timeout=600 -- node scripts/import.js",
  ],
  run: (context, given) => withRunExit(context, () => withSession(runInSession)(context, given)),
});

type Given = {
  readonly words: { readonly command: readonly string[] };
  readonly options: { readonly timeout: string | null; readonly on: string | null };
};

async function runInSession(session: Session, { words, options }: Given): Promise<Outcome> {
  const seconds = options.timeout === null ? undefined : Number(options.timeout);
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400))
    return stop("usage", "--timeout must be a whole number of seconds, from 1 to 86400.");
  const project = await findProject(session);
  if (!project.ok) return project;
  const { id: project_id } = project.value;
  const [only = "", ...others] = words.command;
  const command = others.length === 0 ? only : words.command.map(shellWord).join(" ");
  const server = await chosenServer(session, project_id, options.on);
  if (!server.ok) return server;
  const body = { command, ...server.value, ...(seconds === undefined ? {} : { timeout_seconds: seconds }) };
  const patient = patientSession(session);
  if (!patient.ok) return patient;
  const started = await patient.value.client.runCommand({ params: { project_id }, body });
  if (!started.ok) return started;
  const params = { project_id, command_id: started.value.id };
  return await followRun(session, patient.value, {
    name: "command",
    read: (client, query) => client.getCommandOutput({ params, query }),
    stop: (client) => client.stopCommand({ params, body: {} }),
    endOf: ({ command: end }) => end,
  });
}
