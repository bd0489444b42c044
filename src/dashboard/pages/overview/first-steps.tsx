import type { ComponentChildren } from "preact";

import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useActivity, useMay, useProjects, useServers } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { AddServer } from "#dashboard/shared/add-server.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ProjectForm } from "#dashboard/shared/project-form.tsx";
import { NotAllowed } from "#dashboard/shared/unavailable.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";

type Props = { readonly servers: readonly ServerRow[]; readonly projects: readonly ProjectRow[] };

/** The steps to a first live site: add a server, add a project, deploy. */
export function FirstSteps({ servers, projects }: Props) {
  const reloadServers = useServers(ALL).reload;
  const mayAddServer = useMay("createServer");
  const reloadProjects = useProjects(ALL).reload;
  const connected = servers.find(({ status }) => status === "healthy" || status === "degraded");
  const [project] = projects;
  return (
    <>
      <ol class="steps">
        <Step title="Add a server" isDone={connected !== undefined} isNext={connected === undefined}>
          {connected === undefined ? (
            mayAddServer ? (
              <AddServer onConnected={reloadServers} />
            ) : (
              <NotAllowed what="adding servers" />
            )
          ) : (
            <p>{connected.name} is connected.</p>
          )}
        </Step>
        <Step
          title="Add a project"
          isDone={project !== undefined}
          isNext={connected !== undefined && project === undefined}
        >
          {project !== undefined ? (
            <p>{project.name} is ready to deploy.</p>
          ) : connected === undefined ? (
            <p class="quiet">A Git repository and the server to deploy it to.</p>
          ) : (
            <ProjectForm servers={servers} onCreated={() => reloadProjects()} />
          )}
        </Step>
        <Step title="Deploy" isDone={false} isNext={project !== undefined}>
          {project === undefined ? (
            <p class="quiet">The server fetches and builds the code, then serves the site.</p>
          ) : (
            <FirstDeployment project={project} />
          )}
        </Step>
      </ol>
      <p class="quiet">
        The same for a private repository, with a secret, deploys on push and messages:{" "}
        <a href="/docs/guides/first-hour">the first hour</a>.
      </p>
    </>
  );
}

type StepProps = {
  readonly title: string;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly children: ComponentChildren;
};

function Step({ title, isDone, isNext, children }: StepProps) {
  return (
    <li class={isDone ? "done" : isNext ? "next" : ""} aria-current={isNext ? "step" : undefined}>
      <h2>
        {title}
        {isDone ? <span class="quiet"> done</span> : null}
      </h2>
      {children}
    </li>
  );
}

function FirstDeployment({ project }: { readonly project: ProjectRow }) {
  const { reload } = useActivity(ALL);
  const mayDeploy = useMay("startDeployment", project.id);
  const starting = useAction(() => api.startDeployment({ params: { project_id: project.id } }));
  const start = async () => {
    const go = goFromHere();
    const started = await starting.run();
    if (started === null) return;
    void reload();
    go({ page: "deployment", id: started.value.id });
  };
  if (!mayDeploy) return <NotAllowed what="deploying this project" />;
  return (
    <>
      <ProblemBox problem={starting.problem} doing="Deploying" />
      <Button variant="primary" onClick={start} isBusy={starting.isRunning}>
        Deploy {project.name}
      </Button>
    </>
  );
}
