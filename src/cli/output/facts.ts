import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";

export type Fact = readonly [name: string, text: string | null];
type Facts = readonly Fact[];

/** Prints a list of names and values, one per line. Null values are skipped. */
export function printFacts(output: Output, facts: Facts): void {
  for (const line of factLines(output, facts)) output.line(line);
}

/** The lines of `printFacts`. Each value stays on one line, even if it contains line breaks, and keeps its colours. */
export function factLines({ form, style }: Pick<Output, "form" | "style">, facts: Facts): string[] {
  const known = facts.flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
  const width = Math.max(0, ...known.map(({ name }) => name.length));
  return known.map(({ name, text }) =>
    form === "plain"
      ? `${name}\t${printable(text)}`
      : `${style.dim(name.padEnd(width))}  ${printableInColour(text)}`,
  );
}
