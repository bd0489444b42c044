import type { Command } from "#cli/arguments/command.ts";
import { otherCommandHint } from "#cli/arguments/other-commands.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

/** The command that `words` start with, and the words after its name; null if there are no words. */
export function findCommand(
  words: readonly string[],
  commands: readonly Command[],
): Result<{ readonly command: Command; readonly rest: readonly string[] } | null> {
  const [first, second] = words;
  if (first === undefined) return succeed(null);
  const exactName = commands.find(({ name }) => name === first);
  if (exactName !== undefined) return succeed({ command: exactName, rest: words.slice(1) });

  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length === 0) {
    const names = new Set(commands.map(({ name }) => name.split(" ")[0] ?? name));
    const hint = otherCommandHint(words) || didYouMean(first, [...names]);
    return stop("usage", `Unknown command ${first}.${hint} See gantry --help.`);
  }
  const exact = group.find(({ name }) => name === `${first} ${second}`);
  if (exact !== undefined) return succeed({ command: exact, rest: words.slice(2) });
  const fallback = group.find(({ isGroupDefault }) => isGroupDefault === true);
  if (second === undefined && fallback !== undefined) return succeed({ command: fallback, rest: [] });
  const seconds = group.map(({ name }) => name.slice(first.length + 1));
  if (second === undefined) return stop("usage", `gantry ${first} needs a command: ${seconds.join(", ")}.`);
  const suggestion = didYouMean(second, seconds, `${first} `);
  return stop("usage", `Unknown command ${first} ${second}. Use one of ${seconds.join(", ")}.${suggestion}`);
}
