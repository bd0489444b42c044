import { problemIn, unreachable } from "#client/answer.ts";
import { headersOf, urlOf } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { transport } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Long enough for the browser to open or save the file. */
const URL_LIFETIME_MS = 60_000;

/** Opens the complete log as plain text in a new tab, or downloads it. */
export function RawLog({ deployment: { id, version } }: { readonly deployment: Deployment }) {
  const reading = useAction(readText);
  const withText = async (use: (url: string) => void, onFailure?: () => void) => {
    const read = await reading.run(id);
    if (read === null) return onFailure?.();
    // A plain link to the API could not send the token.
    const url = URL.createObjectURL(read.value);
    use(url);
    setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
  };
  const show = () => {
    // Opened in the click itself: browsers block a tab that opens later.
    const tab = open("about:blank");
    void withText(
      (url) => {
        if (tab === null) location.assign(url);
        else tab.location.href = url;
      },
      () => tab?.close(),
    );
  };
  const save = (url: string) => {
    const link = document.createElement("a");
    link.href = url;
    link.download = `v${version}-${id}.log`;
    link.click();
  };
  return (
    <>
      <Button onClick={show} isBusy={reading.isRunning}>
        Raw
      </Button>
      <Button onClick={() => withText(save)} isBusy={reading.isRunning}>
        Download
      </Button>
      <ProblemBox problem={reading.problem} doing="Loading the log" />
    </>
  );
}

async function readText(id: DeploymentId): Promise<ClientResult<Blob>> {
  const request = { params: { deployment_id: id }, headers: { accept: "text/plain" } };
  try {
    const response = await transport.fetch(urlOf(clientEndpoints.getDeploymentLog, request, transport), {
      headers: headersOf(request, transport),
    });
    const { status, headers } = response;
    if (!response.ok) return problemIn(await response.text(), response, transport.baseUrl);
    const text = await response.text();
    return { ok: true, value: new Blob([text], { type: "text/plain;charset=utf-8" }), status, headers };
  } catch (error) {
    return unreachable(error, transport.baseUrl);
  }
}
