import type { Problem } from "#contract/problems.ts";
import { pathTo } from "#dashboard/router/route.ts";

/** Whether something is not told because the token that asks may not know it. */
export function isNotAllowed(problem: Problem | null): boolean {
  return problem?.code === "insufficient_scope";
}

/** Says that something is left out, and why. It is no failure, and trying again would not help. */
export function NotShown({ what, problem }: { readonly what: string; readonly problem: Problem }) {
  return (
    <p class="notice" role="status">
      You are signed in with a token that may not see {what}. {problem.detail}
    </p>
  );
}

/** Whether what a page is about is not there: it was deleted meanwhile, or never was. */
export function isGone(problem: Problem | null): boolean {
  return problem?.code === "not_found";
}

/** Says that it is not there, and where to go on. */
export function Gone({ what }: { readonly what: string }) {
  return (
    <p class="notice" role="alert">
      Gantry does not know {what} at this address. It may have been deleted.{" "}
      <a href={pathTo({ page: "overview" })}>All projects</a>
    </p>
  );
}
