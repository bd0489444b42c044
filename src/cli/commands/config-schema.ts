import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";

export const configSchema = defineCommand({
  name: "config schema",
  summary: "Print the JSON Schema of the configuration file, for editors",
  details: [
    'Editors complete and check the file with it. Begin the file with "#:schema gantry.schema.json" in TOML, or with the key "$schema" in JSON. Needs no network.',
  ],
  words: {},
  options: {},
  examples: ["config schema > gantry.schema.json"],
  async run({ output }) {
    const { editorSchema } = await import("#cli/configuration/editor-schema.ts");
    const schema = editorSchema();
    output.json(schema);
    output.line(JSON.stringify(schema, null, 2));
    return done;
  },
});
