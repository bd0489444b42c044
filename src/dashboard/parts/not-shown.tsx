import type { Problem } from "#contract/problems.ts";

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
