import type { Entry } from "#contract/endpoints/projects/entry.ts";
import type { BalanceState, Project } from "#contract/endpoints/projects/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { type Style, styled } from "#cli/output/style.ts";
import { namesFrom } from "#cli/session/server-names.ts";

type Form = Pick<Output, "form" | "style">;

const stateStyles = {
  ok: "green",
  pending: "cyan",
  problem: "red",
  unknown: "dim",
} as const satisfies Record<"ok" | "pending" | "problem" | "unknown", keyof Style>;

/** `through lb-1, lb-2, to the same server again`; null: visitors reach each server. */
export function entryText({ entry, ...project }: Pick<Project, "entry" | NamedIn>): string | null {
  switch (entry.type) {
    case "each":
      return null;
    case "own":
      return "through a load balancer of your own";
    case "balancer":
      return `through ${balancerNames(entry, project)}${entry.sticky ? ", to the same server again" : ""}`;
  }
}

type NamedIn = "balance_state" | "servers_state";

function balancerNames({ balancers }: Entry, project: Pick<Project, NamedIn>): string {
  const nameOf = namesFrom([...project.balance_state, ...project.servers_state]);
  return balancers.map(nameOf).join(", ");
}

export const balanceColumns = ["TRAFFIC", "ROLE", "STATUS", "OUT", "PROBLEM"];

/** A table row for each balancer and each server behind one, in `balanceColumns`; for programs, each begins with the word `traffic`. */
export function balanceRows(
  { balance_state: states }: Pick<Project, "balance_state">,
  output: Form,
): readonly (readonly string[])[] {
  const nameOf = namesFrom(states);
  return states.map(({ name, role, status, problem, out }) => [
    ...(output.form === "plain" ? ["traffic"] : []),
    printableName(name),
    role,
    styled(output.style, stateStyles, status),
    outText(out, nameOf),
    problem === null ? "–" : printable(problem),
  ]);
}

function outText(out: BalanceState["out"], nameOf: (id: BalanceState["id"]) => string): string {
  return out.length === 0 ? "–" : out.map(nameOf).join(", ");
}

/** Prints whether the balancers and the servers behind them are set up. Nothing for another entry. */
export function printBalance(output: Output, project: Pick<Project, "balance_state">): void {
  if (project.balance_state.length === 0) return;
  if (output.form === "terminal") output.line();
  output.table(balanceColumns, balanceRows(project, output));
}

/** Why not all requests get through the balancers after a change of the entry or of the servers. Nothing if they do. */
export function balanceNotes({ balance_state: states }: Pick<Project, "balance_state">): readonly string[] {
  const problems = [...new Set(states.flatMap(({ problem }) => problem ?? []))];
  if (problems.length === 0) return [];
  return [
    "Not all balancers and servers can take requests yet:",
    ...problems.map((one) => `  ${printable(one)}`),
  ];
}
