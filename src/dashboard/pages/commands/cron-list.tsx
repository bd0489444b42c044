import type { CronJobList } from "#contract/endpoints/cron/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { WatchedResource } from "#dashboard/data/resource.ts";
import { CronCard } from "#dashboard/pages/commands/cron-card.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = { readonly project: Project; readonly read: WatchedResource<CronJobList> };

/** The cron jobs of a project's live deployment. */
export function CronList({ project, read }: Props) {
  const { id, cron } = project;
  const waiting = cron.filter(({ name }) => read.value?.jobs.some((job) => job.name === name) === false);
  return (
    <section class="cron" aria-label="Cron jobs">
      <h2>Cron jobs</h2>
      <Show of={read} what="the cron jobs">
        {({ jobs }) => (
          <>
            {jobs.length === 0 && waiting.length === 0 ? (
              <p class="quiet">
                None. Cron jobs are added in the <a href={pathTo({ page: "settings_cron", id })}>settings</a>{" "}
                or in gantry.json.
              </p>
            ) : null}
            {jobs.map((job) => (
              <CronCard key={job.name} projectId={id} job={job} reload={read.reload} />
            ))}
            {waiting.map(({ name, schedule }) => (
              <p key={name} class="notice">
                {name} (<code>{schedule}</code>) runs from the next deployment on.
              </p>
            ))}
          </>
        )}
      </Show>
    </section>
  );
}
