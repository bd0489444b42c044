import { useState } from "preact/hooks";

import type { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { repositoryVerdict } from "#contract/repository-verdict.ts";
import type { ProjectId } from "#contract/ids.ts";
import { projectChangesApi } from "#dashboard/data/project-changes.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** A button that asks the server to list the branch, and the answer. */
export function RepositoryTester({ id }: { readonly id: ProjectId }) {
  const [result, setResult] = useState<RepositoryTest | null>(null);
  const testing = useAction(() => projectChangesApi.testRepository({ params: { project_id: id }, body: {} }));
  const test = async () => {
    setResult(null);
    const tested = await testing.run();
    if (tested !== null) setResult(tested.value);
  };
  return (
    <>
      <Button onClick={test} isBusy={testing.isRunning}>
        Test the repository
      </Button>
      <ProblemBox problem={testing.problem} doing="The test" />
      <div role="status">{result === null ? null : <Result of={result} />}</div>
    </>
  );
}

function Result({ of }: { readonly of: RepositoryTest }) {
  if (!of.ok)
    return (
      <div class="problem">
        <p>
          <strong>{repositoryVerdict(of)}</strong>
        </p>
        {of.message.split("\n").map((line) => (
          <p key={line}>{withHiddenShown(line)}</p>
        ))}
      </div>
    );
  const { branch, commit_sha, tried, host_key: key } = of;
  return (
    <div class="notice">
      <p>
        <strong>{repositoryVerdict(of)}</strong> <code>{branch}</code> is at{" "}
        <code>{commit_sha.slice(0, 12)}</code>. It used {withHiddenShown(tried)}.
      </p>
      {key === null ? null : (
        <p>
          {key.is_new ? "First connection: the host key of" : "The host key of"}{" "}
          <code>{withHiddenShown(key.host)}</code> is <code>{withHiddenShown(key.fingerprint)}</code> (
          {withHiddenShown(key.type)}).
          {key.is_new ? " Compare it with the fingerprint that the host publishes." : ""}
        </p>
      )}
    </div>
  );
}
