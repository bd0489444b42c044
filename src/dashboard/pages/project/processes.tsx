import { useEffect, useRef, useState } from "preact/hooks";

import type { Processes, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { resolveProcesses, wantedInstances } from "#contract/processes/resolve-processes.ts";
import { useNow } from "#dashboard/data/clock.ts";
import { notLoaded, type Watched } from "#dashboard/data/resource.ts";
import { useProcesses } from "#dashboard/data/process-resources.ts";
import { AppOutput } from "#dashboard/pages/project/app-output.tsx";
import { ProcessCard } from "#dashboard/pages/project/process-card.tsx";
import { useSamples } from "#dashboard/pages/project/use-samples.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { isNotAllowed, NoAccess } from "#dashboard/shared/unavailable.tsx";
import { useSeen } from "#dashboard/shared/use-seen.ts";

/** The processes of a project and their instances. Renders nothing for a project without processes. */
export function ProcessesSection({ project }: { readonly project: Project }) {
  const { detected_processes: detected, processes, processes_state: state } = project;
  const hasSome = state !== null || resolveProcesses(detected, processes).length > 0;
  if (!hasSome) return null;
  return (
    <>
      <Section project={project} />
      <AppOutput id={project.id} />
    </>
  );
}

function Section({ project }: { readonly project: Project }) {
  const section = useRef<HTMLElement>(null);
  const isSeen = useSeen(section);
  const [read, setRead] = useState<Watched<Processes>>(notLoaded);
  const samples = useSamples(read.value);
  const { value, problem, reload } = read;
  const reports = reportsOf(project, value);
  return (
    <section ref={section} class="processes" aria-label="Processes">
      {/* Each read asks the server, so a page that is scrolled past the section sends none. */}
      {isSeen ? <ProcessesLoader id={project.id} onRead={setRead} /> : null}
      {isNotAllowed(problem) && problem !== null ? (
        <NoAccess what="the processes" problem={problem} />
      ) : (
        <>
          <ProblemBox problem={problem} doing="Reading the processes" retry={reload} />
          <Stale processes={value} />
          {reports.map((report) => (
            <ProcessCard
              key={report.name}
              projectId={project.id}
              {...report}
              isLoaded={value !== null}
              samples={samples}
              reload={reload}
            />
          ))}
        </>
      )}
    </section>
  );
}

type LoaderProps = { readonly id: ProjectId; readonly onRead: (read: Watched<Processes>) => void };

/** Polls the processes while it is mounted. Renders nothing. */
function ProcessesLoader({ id, onRead }: LoaderProps) {
  const read = useProcesses(id);
  useEffect(() => onRead(read), [read.value, read.problem]);
  return null;
}

type Reported = {
  readonly name: string;
  readonly command: string;
  /** How many instances there should be, by the settings. */
  readonly expected: number;
  /** null: the server does not run it, or is not read yet. */
  readonly report: ProcessReport | null;
};

/** Also the processes that the server does not run yet, so that the page does not jump when the report arrives. */
function reportsOf({ detected_processes, processes }: Project, read: Processes | null): readonly Reported[] {
  const reports = read?.processes ?? [];
  const defined = resolveProcesses(detected_processes, processes);
  const others = reports.filter(({ name }) => !defined.some((one) => one.name === name));
  return [
    ...defined.map((process) => {
      const report = reports.find(({ name }) => name === process.name) ?? null;
      const command = report?.command ?? process.command;
      return { name: process.name, command, expected: wantedInstances(process), report };
    }),
    ...others.map((report) => ({ name: report.name, command: report.command, expected: 0, report })),
  ];
}

/** A look of the server takes no longer. */
const LOOK_MS = 15_000;

/** Says that the server does not answer, so that what is shown is old. */
function Stale({ processes }: { readonly processes: Processes | null }) {
  const now = useNow();
  const at = processes?.checked_at ?? null;
  if (at === null || now - Date.parse(at) < LOOK_MS) return null;
  return (
    <p class="notice" role="status">
      The server does not answer now. It reported this <Ago time={at} />.
    </p>
  );
}
