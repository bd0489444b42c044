import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";

type Facts = readonly (readonly [name: string, text: string | null])[];

/** One thing with its facts, a line each; those that are null are left out. */
export function printFacts(output: Output, facts: Facts): void {
  for (const line of factLines(output, facts)) output.line(line);
}

/** The lines of facts. Each stays one line, whatever others have put into it, and keeps its own colours. */
export function factLines({ form, style }: Pick<Output, "form" | "style">, facts: Facts): string[] {
  const known = facts.flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
  const width = Math.max(0, ...known.map(({ name }) => name.length));
  return known.map(({ name, text }) =>
    form === "plain"
      ? `${name}\t${printable(text)}`
      : `${style.dim(name.padEnd(width))}  ${printableInColour(text)}`,
  );
}
