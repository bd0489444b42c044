import { serversOf, type Variable, type Variables } from "#contract/endpoints/variables/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { commandLine, type Session } from "#cli/session/session.ts";

export const variableColumns = ["NAME", "KIND", "VALUE", "CHANGED", "BY"];

/** A table row for `variableColumns`. Line breaks in a value are shown as \n. */
export function variableRow(
  variable: Variable,
  { not_sealed: notSealed }: Variables,
  output: Output,
): readonly string[] {
  const { name, changed_at: changedAt, changed_by: changedBy } = variable;
  const { dim, red } = output.style;
  const sealed = notSealed.includes(name) ? red("enter it again") : dim("sealed");
  return [
    name,
    variable.secret ? (variable.build ? "secret, build" : "secret") : "plain",
    variable.secret ? sealed : oneLine(variable.value),
    timeText(changedAt, output),
    printableName(changedBy.name),
  ];
}

const oneLine = (value: string): string =>
  printableName(value.replaceAll("\r", "\\r").replaceAll("\n", "\\n").replaceAll("\t", "\\t"));

/** Prints what to do about secrets that a server of the project cannot open. */
export function noteNotSealed(session: Session, variables: Variables): void {
  const { not_sealed: names } = variables;
  if (names.length === 0) return;
  const who = serversOf(variables).length === 1 ? "The project's server" : "A server of the project";
  const enter = commandLine(session, `variables set ${names.map((name) => `--secret ${name}`).join(" ")}`);
  session.output.note(
    `${who} cannot open ${names.join(", ")}, so deployments are refused. Enter them again: ${enter}`,
  );
}

/**
 * Prints the result of a change of variables.
 * @param before the revision before the change
 * @param isApplied whether a deployment follows that uses it
 */
export function printChange(
  session: Session,
  variables: Variables,
  change: { readonly before: number; readonly what: string; readonly isApplied: boolean },
): void {
  const { output } = session;
  output.json(variables);
  const { revision } = variables;
  const { before, what, isApplied } = change;
  output.line(
    revision === before
      ? `Nothing has changed: revision ${revision} has these values.`
      : `${what} in revision ${revision}.${isApplied ? "" : " The next deployment uses it."}`,
  );
  noteNotSealed(session, variables);
}
