import type { Failed } from "#client/answer.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import type { Session } from "#cli/session/session.ts";

/** The problems of a request that only a person who is signed in to the dashboard can make. */
const needsPerson: ReadonlySet<string> = new Set(["person_required", "reauthentication_required"]);

/** Adds where a person can do it to a problem that no token can solve. @param page such as `/members` */
export function inDashboard({ url }: Pick<Session, "url">, failed: Failed, page: string): Failed {
  const { problem } = failed;
  if (!needsPerson.has(problem.code)) return failed;
  const detail = `${problem.detail} Do it in the dashboard: ${dashboardPage(url, page)}`;
  return { ...failed, problem: { ...problem, detail } };
}
