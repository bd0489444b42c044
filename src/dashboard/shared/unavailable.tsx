import type { Problem } from "#contract/problems.ts";
import { useIsMemberSession } from "#dashboard/data/use-is-member-session.ts";
import { pathTo } from "#dashboard/router/route.ts";

/** Whether a request failed because the role or the token lacks a scope. */
export function isNotAllowed(problem: Problem | null): boolean {
  return problem?.code === "insufficient_scope";
}

/** Says that the role or the token has no access to some data. It is not shown as an error, because retrying does not help. */
export function NoAccess({ what, problem }: { readonly what: string; readonly problem: Problem }) {
  const isMemberSession = useIsMemberSession();
  return (
    <p class="notice" role="status">
      {isMemberSession
        ? `Your role does not allow access to ${what}. Ask an admin.`
        : `Your token has no access to ${what}. ${problem.detail}`}
    </p>
  );
}

/** Takes the place of a form that the role or the token does not allow. @param what such as `adding projects` */
export function NotAllowed({ what }: { readonly what: string }) {
  const isMemberSession = useIsMemberSession();
  return (
    <p class="notice">
      {isMemberSession
        ? `Your role does not allow ${what}. Ask an admin.`
        : `Your token does not allow ${what}.`}
    </p>
  );
}

/** Whether a request failed because the object does not exist. */
export function isMissing(problem: Problem | null): boolean {
  return problem?.code === "not_found";
}

/** Says that an object does not exist, with a link to the start page. */
export function Missing({ what }: { readonly what: string }) {
  return (
    <p class="notice" role="alert">
      Could not find {what}. It may have been deleted. <a href={pathTo({ page: "overview" })}>All projects</a>
    </p>
  );
}
