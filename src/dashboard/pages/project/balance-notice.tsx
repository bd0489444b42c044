import { withHiddenShown } from "#contract/hidden-text.ts";
import type { BalanceState } from "#contract/endpoints/projects/schemas.ts";

/** What does not work between the balancers of a project and its servers. Renders nothing if all of it works. */
export function BalanceNotice({ states }: { readonly states: readonly BalanceState[] }) {
  const sentences = balanceProblems(states);
  if (sentences.length === 0) return null;
  return (
    <div class="notice apply" role="status">
      <p>
        <strong>The balancer cannot reach all servers, or is not set up.</strong>
      </p>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

/** Sentences for a person, each once: a server that is a balancer too has the same problem twice. */
export function balanceProblems(states: readonly BalanceState[]): readonly string[] {
  const names = new Map(states.map(({ id, name }) => [id, withHiddenShown(name)]));
  const sentences = states.flatMap(({ name, problem, out }) => [
    ...(problem === null ? [] : [withHiddenShown(problem)]),
    ...out.map(
      (id) => `${withHiddenShown(name)} sends no requests to ${names.get(id) ?? id}, which does not answer.`,
    ),
  ]);
  return [...new Set(sentences)];
}
