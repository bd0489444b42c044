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
    const shell = shells.find((each) => each === words.shell);
    if (shell === undefined) return stop("usage", `SHELL must be one of ${shells.join(", ")}.`);
    const script = completionScript(shell, commands);
    output.json({ script });
    output.line(script.trimEnd());
    return done;
  },
});
