import { type Lane, onceLiveOf, type Plan, replaceDeployment } from "#domain/lane/lane.ts";
import { isSamePlan } from "#domain/lane/plan-differences.ts";

/**
 * How many characters of JSON the different plans of a lane's rollback targets may have together. An object has 128 MB of
 * memory, and a plan with the longest commands has a megabyte. Usual ones have a thousand characters.
 */
const MAX_PLAN_CHARACTERS = 4_000_000;

/**
 * The equal plan that the lane has already, or else the plan itself. Most deployments share the plan of the deployment
 * before.
 */
export function knownPlan(lane: Lane, plan: Plan): Plan {
  const known = new Set(onceLiveOf(lane).flatMap(({ state }) => state.plan ?? []));
  return [...known].find((one) => isSamePlan(one, plan)) ?? plan;
}

/**
 * Forgets the plans of the oldest rollback targets if all are too large together.
 * @param newest the plan of the deployment that goes live
 */
export function limitPlans(lane: Lane, newest: Plan): Lane {
  const counted = new Set<Plan>();
  let characters = 0;
  const count = (plan: Plan) => {
    if (counted.has(plan)) return;
    counted.add(plan);
    characters += JSON.stringify(plan).length;
  };
  count(newest);
  return onceLiveOf(lane).reduce((next, one) => {
    if (one.state.plan === null) return next;
    count(one.state.plan);
    if (characters <= MAX_PLAN_CHARACTERS) return next;
    return replaceDeployment(next, { ...one, state: { ...one.state, plan: null } });
  }, lane);
}
