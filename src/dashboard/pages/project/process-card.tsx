import { useState } from "preact/hooks";

import type { ProcessReport, ProcessSource } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { sourceText } from "#contract/processes/command-source.ts";
import { processState } from "#contract/processes/process-state.ts";
import type { Change } from "#dashboard/pages/project/change.ts";
import { CrashBox } from "#dashboard/pages/project/crash-box.tsx";
import { InstanceRow } from "#dashboard/pages/project/instance-row.tsx";
import { ProcessActions } from "#dashboard/pages/project/process-actions.tsx";
import type { Samples } from "#dashboard/pages/project/samples.ts";
import { StartedDeployment } from "#dashboard/shared/started-deployment.tsx";
import { processLabel } from "#dashboard/pages/project/process-labels.ts";

type Props = {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly command: string;
  /** Where the command is from; undefined: unknown. */
  readonly source: ProcessSource | undefined;
  /** null: the server does not run it, or is not read yet. */
  readonly report: ProcessReport | null;
  /** The server's report is loaded. */
  readonly isLoaded: boolean;
  readonly samples: Samples;
  readonly reload: () => Promise<void>;
};

/** A process with its state, its instances and its actions. */
export function ProcessCard(props: Props) {
  const { projectId, name, command, source, report, isLoaded, samples, reload } = props;
  const [change, setChange] = useState<Change | null>(null);
  const show = (next: Change) => {
    setChange(next);
    void reload();
  };
  const instances = report?.instances ?? [];
  return (
    <article class="card process" aria-label={name}>
      <header>
        <h2>{name}</h2>
        {report === null ? (
          <span class="status">{isLoaded ? "Not deployed yet" : "…"}</span>
        ) : (
          <span class={`status ${processState(report)}`}>{processLabel(report)}</span>
        )}
        <code class="command">{command}</code>
        {source === undefined ? null : <span class="quiet">{sourceText(source)}</span>}
        {report === null ? null : <ProcessActions projectId={projectId} report={report} onChange={show} />}
      </header>
      {change === null ? null : change.started === null ? (
        <p role="status">{change.what}: saved. It applies from the first deployment.</p>
      ) : (
        <StartedDeployment key={change.started.id} what={change.what} {...change.started} />
      )}
      {instances.map((instance) => (
        <CrashBox key={instance.name} instance={instance} />
      ))}
      {instances.length === 0 ? null : (
        <ul aria-label={`Instances of ${name}`}>
          {instances.map((instance) => (
            <InstanceRow key={instance.name} instance={instance} samples={samples.get(instance.name) ?? []} />
          ))}
        </ul>
      )}
    </article>
  );
}
