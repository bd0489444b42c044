import { type Item, type KindName, pathOf, type State } from "#cli/configuration/item.ts";
import type { Running } from "#cli/configuration/kind.ts";
import { isFields } from "#cli/configuration/json.ts";
import { kinds } from "#cli/configuration/kinds.ts";
import { factsOf, type Plan, type Step } from "#cli/configuration/plan.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import { neededSources } from "#cli/configuration/secret-values.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Failed } from "#client/answer.ts";
import { succeed } from "#contract/lib/result.ts";

type Run = Running & {
  /** What the plan was made of. */
  readonly current: State;
  readonly onDone: (step: Step) => void;
};

/** Problems of a name, domain or address that something else still has, which a later step can give up. */
const takenCodes = ["name_taken", "domain_taken", "hook_exists", "email_taken"];

/**
 * Carries out the steps of a plan, one by one. Each is checked right before: what was changed since the plan was made is not
 * overwritten. After a failure or a kill, another plan has the steps that are left, because each step is either done or not.
 */
export async function runPlan(plan: Plan, run: Run): Promise<Result<null>> {
  const missing = missingSources(plan.steps, run.session.environment);
  if (missing !== null) return missing;
  const seen: Seen = new Map();
  const changes = plan.steps.filter(({ act }) => act !== "delete");
  const deletions = plan.steps.filter(({ act }) => act === "delete");
  const before = await runRounds(changes, run, seen);
  if (!before.ok) return before;
  const { left, refusal } = before.value;
  if (refusal !== null && !canFree(deletions, left)) return refusal;
  const deleted = await runRounds(deletions, run, seen);
  if (!deleted.ok) return deleted;
  const after = await runRounds(left, run, seen);
  if (!after.ok) return after;
  return after.value.refusal ?? deleted.value.refusal ?? succeed(null);
}

/** Whether a deletion gives up a name, domain or repository that a step needs. */
function canFree(deletions: readonly Step[], left: readonly Step[]): boolean {
  const needed = new Set(left.flatMap(({ item }) => claimsOf(item)));
  return deletions.some(({ item }) => claimsOf(item).some((claim) => needed.has(claim)));
}

/** What only one thing of a kind can have. */
function claimsOf({ kind, name, identity, fields }: Item): string[] {
  if (kind === "hooks") return [`${kind} ${identity.split(" ").at(-1)}`];
  if (kind !== "projects") return [];
  const { domain, aliases = null } = fields;
  const claims = [name, domain, ...(isFields(aliases) ? Object.keys(aliases) : [])];
  return claims.flatMap((claim) => (typeof claim === "string" ? [`${kind} ${claim}`] : []));
}

/** `refusal`: why steps are left. */
type Rounds = { readonly left: readonly Step[]; readonly refusal: Failed | null };

/**
 * Carries out steps. A step that needs a name or domain that something else has waits until the others of its kind are done,
 * and so do the kinds after it, which can depend on it.
 */
async function runRounds(steps: readonly Step[], run: Run, seen: Seen): Promise<Result<Rounds>> {
  let left = steps;
  for (;;) {
    const postponed: Step[] = [];
    let refusal: Failed | null = null;
    for (const step of left) {
      const isBehind = postponed.some(({ item }) => item.kind !== step.item.kind);
      const done = isBehind ? null : await runStep(step, run, seen);
      if (done?.ok === true) {
        run.onDone(step);
        continue;
      }
      if (done !== null && !takenCodes.includes(done.problem.code)) return named(done, step);
      if (done !== null) refusal ??= named(done, step);
      postponed.push(step);
    }
    if (postponed.length === 0 || postponed.length === left.length)
      return succeed({ left: postponed, refusal });
    left = postponed;
  }
}

/** Refuses before the first change if the value of a secret is missing. */
export function missingSources(steps: readonly Step[], environment: NodeJS.ProcessEnv): Failed | null {
  const missing = unsetSources(steps, environment);
  if (missing.length === 0) return null;
  return stop(
    "usage",
    `Set ${missing.length === 1 ? "the environment variable" : "these environment variables:"} ${missing.join(", ")}.`,
  );
}

/** The variables of the environment that steps need and that are not set. */
export function unsetSources(steps: readonly Step[], environment: NodeJS.ProcessEnv): string[] {
  const needed = steps.filter(({ act }) => act !== "delete").flatMap(neededSources);
  return [...new Set(needed)].filter((name) => (environment[name] ?? "") === "").toSorted();
}

/** What there was of a kind before the first step that creates one. */
type Seen = Map<KindName, readonly Item[]>;

async function runStep(step: Step, run: Run, seen: Seen): Promise<Result<unknown>> {
  const { session, names } = run;
  const { act, item, current } = step;
  const kind = kinds[item.kind];
  if (current === null) {
    const checked = await refuseAppeared(step, run, seen);
    return checked.ok ? await kind.create(run, step) : checked;
  }
  const now = await kind.readAgain(session, names, current);
  if (!now.ok) return now;
  if (now.value === null) return act === "delete" ? succeed(null) : changed(step, "was deleted");
  if (factsOf(now.value) !== factsOf(current)) return changed(step, "was changed");
  return act === "delete" ? await kind.remove(run, current) : await kind.update(run, step);
}

/** Kinds with unique names: the control plane refuses a second one. */
const unique: readonly KindName[] = ["projects", "variables", "hooks"];

/** Refuses to create what somebody else has created since the plan. */
async function refuseAppeared(step: Step, run: Run, seen: Seen): Promise<Result<null>> {
  const { item } = step;
  if (unique.includes(item.kind)) return succeed(null);
  const known = seen.get(item.kind);
  const items = known === undefined ? await kinds[item.kind].read(run.session, run.names) : succeed(known);
  if (!items.ok) return items;
  seen.set(item.kind, items.value);
  const countIn = (some: readonly Item[]) => some.filter(({ identity }) => identity === item.identity).length;
  const isAdded = countIn(items.value) > countIn(run.current.get(item.kind) ?? []);
  return isAdded ? changed(step, "was created") : succeed(null);
}

function changed({ item }: Step, what: string): Failed {
  return stop(
    "changed_since_plan",
    `${pathText(pathOf(item))} ${what} since the plan was made. Make another plan.`,
  );
}

/** The problem of a step, with what it is about. */
function named(failed: Failed, { item }: Step): Failed {
  const { problem } = failed;
  const place = pathText(pathOf(item));
  if (problem.code === "changed_since_plan") return failed;
  return { ...failed, problem: { ...problem, detail: `${place}: ${problem.detail}` } };
}
