import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import { isIn, type LaneDeployment, Plan, type State } from "#domain/lane/lane.ts";
import type { StoredDeployment } from "#worker/objects/project-lane/stored-deployment.ts";

const storedPlan = storedAs(Plan);

/**
 * The plans that deployments were live with, in the object's own SQLite. Most deployments have the plan of the
 * deployment before, and a plan can be large, so each is stored once and is one object in memory.
 */
export class StoredPlans {
  readonly #sql: SqlStorage;
  #ids = new WeakMap<Plan, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS plans (id INTEGER PRIMARY KEY, json TEXT NOT NULL)");
  }

  /** All plans by their ids. Deletes plans that no deployment has any longer. */
  load(): ReadonlyMap<number, Plan> {
    this.#sql.exec("DELETE FROM plans WHERE id NOT IN (SELECT plan FROM deployments WHERE plan IS NOT NULL)");
    const plans = new Map<number, Plan>();
    for (const { id, json } of this.#sql.exec<{ id: number; json: string }>("SELECT id, json FROM plans")) {
      const plan = storedPlan.parse(parseJson(json));
      this.#ids.set(plan, id);
      plans.set(id, plan);
    }
    return plans;
  }

  /** The id of a plan, which is stored if it is new. */
  idOf(plan: Plan): number {
    const known = this.#ids.get(plan);
    if (known !== undefined) return known;
    const { id } = this.#sql
      .exec<{ id: number }>("INSERT INTO plans (json) VALUES (?) RETURNING id", JSON.stringify(plan))
      .one();
    this.#ids.set(plan, id);
    return id;
  }

  /** Call this if a transaction is rolled back, which may have stored a plan. */
  forget(): void {
    this.#ids = new WeakMap();
  }
}

/** The plan that a deployment was live with; null: it never was, or the plan is not known. */
export function livePlanOf(state: State): Plan | null {
  return state.name === "live" || state.name === "superseded" ? state.plan : null;
}

/** A deployment in the form in which its row stores it: the plan that it was live with is in another table. */
export function withoutLivePlan<Stored extends Pick<StoredDeployment, "state">>(stored: Stored) {
  const { state } = stored;
  return state.name === "live" || state.name === "superseded"
    ? { ...stored, state: { ...state, plan: null } }
    : stored;
}

/** Adds the plan that a deployment was live with. */
export function withLivePlan(deployment: LaneDeployment, plan: Plan | null): LaneDeployment {
  return isIn(deployment, "live", "superseded")
    ? { ...deployment, state: { ...deployment.state, plan } }
    : deployment;
}
