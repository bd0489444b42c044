import type { Output } from "#cli/output/output.ts";
import { noEffectOf } from "#contract/set-by-gantry.ts";

/** Prints which of the variables that were set do nothing, because Gantry sets them itself. */
export function noteNoEffect(output: Output, names: Iterable<string>): void {
  for (const name of names) {
    const text = noEffectOf(name);
    if (text !== null) output.note(text);
  }
}
