import type { Output } from "#cli/output/output.ts";

/** One thing with its facts, a line each; those that are null are left out. */
export function printFacts(
  output: Output,
  facts: readonly (readonly [name: string, text: string | null])[],
): void {
  const known = facts.filter(([, text]) => text !== null);
  const width = Math.max(0, ...known.map(([name]) => name.length));
  for (const [name, text] of known)
    output.line(
      output.form === "plain" ? `${name}\t${text}` : `${output.style.dim(name.padEnd(width))}  ${text}`,
    );
}
