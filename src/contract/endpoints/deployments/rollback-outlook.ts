import type {
  RollbackSettings,
  RollbackTarget,
  RollbackVariables,
} from "#contract/endpoints/deployments/schemas.ts";

/** What a request for a rollback says about its settings and variables; null: nothing. */
export type RollbackChoices = {
  readonly settings: RollbackSettings | null;
  readonly variables: RollbackVariables | null;
};

/** How many names of settings a sentence has. */
const MAX_NAMES = 8;

type Target = Pick<RollbackTarget, "version" | "runs_with" | "differs" | "held_by">;

/** Whether a rollback would wait for an approval or a freeze, as its target was read. */
export function willWait(target: Target, { settings, variables }: RollbackChoices): boolean {
  const { differs, held_by, runs_with: byDefault } = target;
  if (held_by === null) return false;
  const settingsDiffer = differs.some((name) => name !== "variables");
  const waitsForSettings = settingsDiffer && (settings ?? byDefault.settings) === "current";
  const waitsForVariables = differs.includes("variables") && (variables ?? byDefault.variables) === "current";
  return waitsForSettings || waitsForVariables;
}

/** What a rollback changes besides the code, and whether it waits before it starts; null: it changes nothing else. */
export function outlookText(target: Target, choices: RollbackChoices): string | null {
  const { version, differs, held_by: heldBy, runs_with: byDefault } = target;
  if (willWait(target, choices)) {
    const wait = heldBy === "approval" ? "an approval" : "the end of the freeze";
    return `Waits for ${wait}, because it changes more than the code: ${listed(differs)}.`;
  }
  const from = [
    ...((choices.settings ?? byDefault.settings) === "deployed" ? [`the settings of v${version}`] : []),
    ...(choices.variables === "deployed" ? [`the variables of v${version}`] : []),
    ...(choices.variables === null && byDefault.variables === "live" ? ["the variables that are live"] : []),
  ];
  if (heldBy !== null && from.length > 0 && differs.length > 0) {
    const hold = heldBy === "approval" ? "need an approval" : "wait for the end of the freeze";
    return `Runs with ${from.join(" and ")} and does not wait. Changes of ${listed(differs)} ${hold}.`;
  }
  if (from.length > 0) return `Runs with ${from.join(" and ")}.`;
  return differs.length === 0 ? null : `Also applies what is not live yet: ${listed(differs)}.`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(", ")} and ${more} more` : names.join(", ");
}
