import { useEffect, useRef, useState } from "preact/hooks";

import type { Processes, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { resolveProcesses } from "#contract/processes/resolve-processes.ts";
import { useNow } from "#dashboard/data/clock.ts";
import { notLoaded, type WatchedResource } from "#dashboard/data/resource.ts";
import { useProcesses } from "#dashboard/data/process-resources.ts";
import { AppOutput } from "#dashboard/pages/project/app-output.tsx";
import { ProcessCard } from "#dashboard/pages/project/process-card.tsx";
import { useSamples } from "#dashboard/pages/project/use-samples.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ServerChoice } from "#dashboard/shared/server-choice.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { isNotAllowed, NoAccess } from "#dashboard/shared/unavailable.tsx";
import { useSeen } from "#dashboard/shared/use-seen.ts";
import { Waiting } from "#dashboard/shared/waiting.tsx";

/** The processes of a project with their instances, and their output. */
export function ProcessesSection({ project }: { readonly project: Project }) {
  const section = useRef<HTMLElement>(null);
  const isSeen = useSeen(section);
  const [server, setServer] = useState<ServerId | null>(null);
  const [read, setRead] = useState<WatchedResource<Processes>>(notLoaded);
  const samples = useSamples(read.value);
  const { value, problem, reload } = read;
  // The height of the cards depends on what the server reports, so the output below them is shown later.
  const isRead = value !== null || problem !== null;
  return (
    <>
      <section ref={section} class="processes" aria-label="Processes">
        {/* Each read asks the server. Nothing is read while the section is scrolled out of the window. */}
        {isSeen ? <ProcessesLoader id={project.id} server={server} onRead={setRead} /> : null}
        <ServerChoice project={project} value={server} onChange={setServer} />
        {!isRead ? (
          <Waiting what="Loading the processes" />
        ) : isNotAllowed(problem) && problem !== null ? (
          <NoAccess what="the processes" problem={problem} />
        ) : (
          <>
            <ProblemBox problem={problem} doing="Reading the processes" retry={reload} />
            <Stale processes={value} />
            {reportsOf(project, value).map((report) => (
              <ProcessCard
                key={report.name}
                projectId={project.id}
                {...report}
                source={sourceOf(project, report.name)}
                isLoaded={value !== null}
                samples={samples}
                reload={reload}
              />
            ))}
          </>
        )}
      </section>
      {isRead ? <AppOutput key={server} id={project.id} server={server} /> : null}
    </>
  );
}

type LoaderProps = {
  readonly id: ProjectId;
  readonly server: ServerId | null;
  readonly onRead: (read: WatchedResource<Processes>) => void;
};

/** Polls the processes while it is mounted. Renders nothing. */
function ProcessesLoader({ id, server, onRead }: LoaderProps) {
  const read = useProcesses(id, server);
  useEffect(() => onRead(read), [read.value, read.problem]);
  return null;
}

type Reported = {
  readonly name: string;
  readonly command: string;
  /** null: the server does not run it, or is not read yet. */
  readonly report: ProcessReport | null;
};

/** Also the processes that the server does not run yet. */
function reportsOf({ detected_processes, processes }: Project, read: Processes | null): readonly Reported[] {
  const reports = read?.processes ?? [];
  const defined = resolveProcesses(detected_processes, processes);
  const others = reports.filter(({ name }) => !defined.some((one) => one.name === name));
  return [
    ...defined.map((process) => {
      const report = reports.find(({ name }) => name === process.name) ?? null;
      const command = report?.command ?? process.command;
      return { name: process.name, command, report };
    }),
    ...others.map((report) => ({ name: report.name, command: report.command, report })),
  ];
}

/** Where the command of a process is from; undefined: unknown. */
function sourceOf({ processes, repository_definitions: defined }: Project, name: string) {
  return processes[name]?.command === undefined ? defined.processes[name] : "project";
}

/** An older report means that the server does not answer. */
const LOOK_MS = 15_000;

/** Says that the server does not answer, so that the page shows old data. */
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
