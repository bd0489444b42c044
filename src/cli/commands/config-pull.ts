import { defineCommand } from "#cli/arguments/command.ts";
import { fileWord } from "#cli/commands/config-options.ts";
import { done } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";

export const configPull = defineCommand({
  name: "config pull",
  summary: "Write back to a file what was changed by hand",
  details: [
    "The file then says what the installation has, of the kinds that the file has: also what was created or deleted by hand. Names of environment variables and the order of tables stay. Comments before a table or a field stay with it.",
  ],
  words: fileWord,
  options: {},
  examples: ["config pull", "config pull configuration.json"],
  run: withSession(async (session, { words }) => {
    const { pullFile } = await import("#cli/configuration/pull-file.ts");
    const { DEFAULT_FILE } = await import("#cli/configuration/prepare-plan.ts");
    const file = words.file ?? DEFAULT_FILE;
    const pulled = await pullFile(session, file);
    if (!pulled.ok) return pulled;
    session.output.json({ file, changed: pulled.value });
    session.output.line(pulled.value ? `Wrote ${file}.` : `${file} is up to date.`);
    return done;
  }),
});
