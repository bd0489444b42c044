import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { readBlob } from "#dashboard/data/read-blob.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { openBlob, saveBlob } from "#dashboard/shared/open-blob.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Opens the complete log as plain text in a new tab, or downloads it. */
export function RawLog({ deployment: { id, version } }: { readonly deployment: Deployment }) {
  const reading = useAction(() =>
    readBlob(clientEndpoints.getDeploymentLog, { params: { deployment_id: id } }, "text/plain"),
  );
  const show = async () => {
    // Opened in the click itself: browsers block a tab that opens later.
    const tab = open("about:blank");
    const read = await reading.run();
    if (read === null) return tab?.close();
    openBlob(read.value, (url) => {
      if (tab === null) location.assign(url);
      else tab.location.href = url;
    });
  };
  const save = async () => {
    const read = await reading.run();
    if (read !== null) saveBlob(read.value, `v${version}-${id}.log`);
  };
  return (
    <>
      <Button onClick={show} isBusy={reading.isRunning}>
        Raw
      </Button>
      <Button onClick={save} isBusy={reading.isRunning}>
        Download
      </Button>
      <ProblemBox problem={reading.problem} doing="Loading the log" />
    </>
  );
}
