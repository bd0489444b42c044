import type { EventDeployment, EventProject } from "#contract/endpoints/events/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type ShownRecord, sharedFields } from "#worker/views/deployment-view.ts";

/** A deployment in an event. @param now Unix milliseconds, for the duration of a running deployment */
export function eventDeployment(record: ShownRecord, now: number): EventDeployment {
  const { failure, pushedSha, hold } = record;
  const shared = { ...sharedFields(record, now), pushed_sha: pushedSha, hold };
  if (failure === null) return { ...shared, failure };
  const { evidence: _evidence, ...shown } = failure;
  return { ...shared, failure: shown };
}

type NamedProject = {
  readonly id: ProjectId;
  readonly name: string;
  readonly repository: string;
  readonly url: string | null;
};

/** A project in the events of its deployments. */
export function eventProject({ id, name, repository, url }: NamedProject): EventProject {
  return { id, name, repository: maskRepository(repository), url };
}
