import { useLayoutEffect, useRef } from "preact/hooks";

import type {
  Deployment,
  DeploymentFailure,
  FailureEvidence,
} from "#contract/endpoints/deployments/schemas.ts";
import type { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import { DeployAgain } from "#dashboard/pages/deployment/deploy-again.tsx";
import { ErrorExcerpt } from "#dashboard/pages/deployment/error-excerpt.tsx";
import { isAtEnd } from "#dashboard/pages/deployment/use-follow.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { adviceFor, failureTitle } from "#dashboard/pages/deployment/failure-texts.ts";

type Props = {
  readonly deployment: Deployment;
  readonly log: LogStore;
  /** The name of the server on which it failed; null: the project has one. */
  readonly server: string | null;
  /** Goes to a line of the log. */
  readonly onLine: (line: number) => void;
};

/** Why a deployment failed: one headline, the first error with its lines, and what to do. */
export function FailureBox({ deployment, log, server, onLine }: Props) {
  const { failure } = deployment;
  const box = useRef<HTMLElement>(null);
  const hadFailed = useRef(failure !== null);
  const isNew = failure !== null && !hadFailed.current;
  useLayoutEffect(() => {
    // Only of a reader who follows the log at its end: nobody else loses the place.
    const height = box.current?.getBoundingClientRect().height ?? 0;
    if (isNew && scrollY > 0 && isAtEnd(height)) box.current?.scrollIntoView({ block: "start" });
  }, [isNew]);
  if (failure === null) return null;
  const { title, detail } = failureTitle(failure, server);
  return (
    <section ref={box} class="card failure" aria-label="Failure">
      <header>
        <h2>{title}</h2>
        <code class="tag">{failure.code}</code>
      </header>
      {detail === null ? null : <p>{detail}</p>}
      <ErrorExcerpt failure={failure} log={log} onLine={onLine} />
      {failure.evidence === undefined ? null : <HealthCheck evidence={failure.evidence} />}
      <Remedy failure={failure} deployment={deployment} />
      <DeployAgain deployment={deployment} />
    </section>
  );
}

/** What the failure means, where its message does not say it, and what to do. */
function Remedy({
  failure: { code, hint },
  deployment,
}: Pick<Props, "deployment"> & { readonly failure: DeploymentFailure }) {
  const advice = adviceFor(code, deployment);
  return (
    <>
      {advice === null ? null : <p>{advice}</p>}
      {hint === undefined ? null : <p>{hint}</p>}
      {code === "fetch_failed" ? (
        <p>
          <a href={pathTo({ page: "repository", id: deployment.project_id })}>Repository access</a>
        </p>
      ) : null}
    </>
  );
}

function HealthCheck({ evidence }: { readonly evidence: FailureEvidence }) {
  const { health_status: status, health_body: body } = evidence;
  return (
    <>
      {status === undefined || status === null ? null : <p>The health check got the status {status}.</p>}
      {body === undefined || body === "" ? null : (
        <pre tabIndex={0} aria-label="Health check response">
          {body}
        </pre>
      )}
    </>
  );
}
