import type { Deployment, FailureEvidence } from "#contract/endpoints/deployments/schemas.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { failureTexts } from "#dashboard/text/failure-texts.ts";
import { buildingLabels } from "#dashboard/text/labels.ts";

const LAST_LINES = 20;

/** Why a deployment failed: the stage, the cause, the failing line and the last lines of stderr. */
export function FailureBox({ deployment: { failure, project_id: id } }: { readonly deployment: Deployment }) {
  if (failure === null) return null;
  const { code, message, stage, failing_line: line, hint, evidence } = failure;
  return (
    <section class="problem failure" aria-label="Failure">
      <h2>
        {stage === "queued" ? "Start" : buildingLabels[stage]} failed <code>{code}</code>
      </h2>
      <p>{failureTexts[code]}</p>
      <p>{message}</p>
      {line === undefined ? null : (
        <pre tabIndex={0} aria-label="Failing line">
          <AnsiText line={line} />
        </pre>
      )}
      {hint === undefined ? null : <p>{hint}</p>}
      {code === "fetch_failed" ? (
        <p>
          <a href={pathTo({ page: "repository", id })}>Repository access</a>
        </p>
      ) : null}
      {evidence === undefined ? null : <Evidence evidence={evidence} />}
    </section>
  );
}

function Evidence({ evidence }: { readonly evidence: FailureEvidence }) {
  const { exit_code: code, signal, stderr_tail: stderr, health_status: status, health_body: body } = evidence;
  const lines = (stderr ?? "").trimEnd().split("\n").slice(-LAST_LINES);
  return (
    <>
      <dl class="facts">
        <Fact name="Exit code" value={code} />
        <Fact name="Signal" value={signal} />
        <Fact name="Health check status" value={status} />
      </dl>
      {stderr === undefined || stderr === "" ? null : (
        <pre tabIndex={0} aria-label="Last lines of stderr">
          {lines.map((line, at) => (
            <div key={at}>
              <AnsiText line={line} />
            </div>
          ))}
        </pre>
      )}
      {body === undefined || body === "" ? null : (
        <pre tabIndex={0} aria-label="Health check response">
          {body}
        </pre>
      )}
    </>
  );
}

type FactProps = { readonly name: string; readonly value: string | number | null | undefined };

function Fact({ name, value }: FactProps) {
  if (value === null || value === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
