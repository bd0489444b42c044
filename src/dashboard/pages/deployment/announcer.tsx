import { useEffect, useRef, useState } from "preact/hooks";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { failureTitle } from "#dashboard/pages/deployment/failure-texts.ts";
import { buildingLabels, statusLabels } from "#dashboard/text/labels.ts";

type Props = {
  readonly deployment: Deployment;
  /** The name of the server on which it failed; null: the project has one. */
  readonly server: string | null;
};

/** Announces each stage to screen readers politely, and a failure immediately. Announces nothing when the page opens. */
export function Announcer({ deployment, server }: Props) {
  const { version, status, stage, failure } = deployment;
  const state = stage === null ? statusLabels[status] : buildingLabels[stage];
  const first = useRef(state);
  const [hasChanged, setHasChanged] = useState(false);
  useEffect(() => {
    if (state !== first.current) setHasChanged(true);
  }, [state]);
  const text = hasChanged ? `v${version}: ${state}` : "";
  return (
    <>
      <p class="hidden" role="status">
        {failure === null ? text : ""}
      </p>
      <p class="hidden" role="alert">
        {failure === null || !hasChanged ? "" : `v${version}: ${failureTitle(failure, server).title}`}
      </p>
    </>
  );
}
