import { defineCommand } from "#cli/arguments/command.ts";
import { completionScript, shells } from "#cli/completion/script.ts";
import { done, stop } from "#cli/outcome.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "Print a shell completion script",
  words: { shell: { isRequired: true, choices: shells, help: `One of ${shells.join(", ")}` } },
  options: {},
  examples: ["completion bash > ~/.local/share/bash-completion/completions/gantry"],
  async run({ output, commands }, { words }) {
    const script = completionScript(words.shell, commands);
    if (script === null) return stop("usage", `SHELL must be one of ${shells.join(", ")}.`);
    output.json({ script });
    output.line(script.trimEnd());
    return done;
  },
});
