import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { whileWaiting } from "#cli/output/while-waiting.ts";
import { withSession } from "#cli/session/session.ts";

export const configExport = defineCommand({
  name: "config export",
  summary: "Write the configuration of an installation to a file",
  details: [
    "Prints TOML, or writes a file in TOML or JSON by its ending. It has the projects with their settings, processes, cron jobs and variables, the hooks, webhooks, freezes, trust rules and the grants of members, and the names of the servers.",
    "It never has a secret: only its name, and the environment variable from which gantry config apply reads the value. Kinds that the token may not read are left out.",
  ],
  words: { file: { isRequired: false, help: "Path of the file to write (default: standard output)" } },
  options: {},
  examples: ["config export > gantry.toml", "config export configuration.json"],
  run: withSession(async (session, { words }) => {
    const { exportInstallation } = await import("#cli/configuration/export-installation.ts");
    const { formatOf, printDocument } = await import("#cli/configuration/document.ts");
    const document = await whileWaiting(
      session.output,
      "Reading the installation",
      exportInstallation(session),
    );
    if (!document.ok) return document;
    const { output } = session;
    output.json(document.value);
    if (words.file === null) {
      output.line(printDocument(document.value, "toml").trimEnd());
      return done;
    }
    const { writeOutput } = await import("#cli/configuration/write-output.ts");
    const written = await writeOutput(
      session,
      words.file,
      printDocument(document.value, formatOf(words.file)),
    );
    if (!written.ok) return written;
    output.note(`Wrote ${words.file}.`);
    return done;
  }),
});
