import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { DOCKERFILE } from "#contract/endpoints/projects/settings.ts";

/** Whether a project runs in containers: of an image that is built from its Dockerfile, or that its repository has. */
export function runsAsContainer({
  framework,
  repository,
}: {
  readonly framework?: string | undefined;
  readonly repository: string;
}): boolean {
  return framework === DOCKERFILE || isImageRepository(repository);
}
