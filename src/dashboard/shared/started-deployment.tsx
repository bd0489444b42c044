import type { DeploymentId } from "#contract/ids.ts";
import { useDeployment } from "#dashboard/data/resources.ts";
import { Status } from "#dashboard/shared/status.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly id: DeploymentId;
  readonly version: number;
  /** The action of the deployment, such as `Restart of web`. */
  readonly what: string;
};

/** A deployment that was started on this page, with its state, until a later one replaces it. */
export function StartedDeployment({ id, version, what }: Props) {
  const { value } = useDeployment(id);
  if (value?.status === "superseded") return null;
  return (
    <p role="status">
      {what}: <a href={pathTo({ page: "deployment", id })}>v{version}</a>{" "}
      <Status of={value ?? { status: "building", stage: "queued", waiting_on: null }} />
    </p>
  );
}
