/** What one installation can use. Source: Cloudflare docs, D1, Limits, and Workers, Limits. */
export type PlanLimits = {
  /** The most that a database holds; null: no limit is known. */
  readonly databaseBytes: number | null;
  /** The most statements that one invocation of the Worker makes. */
  readonly statements: number;
};

/** @param plan of Cloudflare Workers: the variable WORKERS_PLAN; empty: a local server */
export function planLimits(plan: string): PlanLimits {
  switch (plan) {
    case "":
      return { databaseBytes: null, statements: 1_000 };
    case "paid":
      return { databaseBytes: 10_000_000_000, statements: 1_000 };
    default:
      return { databaseBytes: 500_000_000, statements: 50 };
  }
}

/** Above this a database counts as nearly full. It leaves time to act even if the database grows fast. */
const NEARLY_FULL_PERCENT = 70;

/** How full the database is, in whole percent; null: less than 70 %, or it has no limit. */
export function nearlyFullPercent(bytes: number, { databaseBytes }: PlanLimits): number | null {
  if (databaseBytes === null) return null;
  const percent = Math.floor((100 * bytes) / databaseBytes);
  return percent < NEARLY_FULL_PERCENT ? null : percent;
}
