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

/** Time enough for the browser to open or save what an address of its own stands for. */
const KEPT_MS = 60_000;

/** The whole log as plain text, in a tab of its own or as a file. */
export function RawLog({ deployment: { id, version } }: { readonly deployment: Deployment }) {
  const reading = useAction(readText);
  const take = async (use: (url: string) => void, giveUp?: () => void) => {
    const read = await reading.run(id);
    if (read === null) return giveUp?.();
    // A link cannot send a token, so the browser gets the text from here.
    const url = URL.createObjectURL(read.value);
    use(url);
    setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
  };
  const show = () => {
    // At once, in the click: a tab that opened by itself later would be kept from opening.
    const tab = open("about:blank");
    void take(
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
      <Button onClick={() => take(save)} isBusy={reading.isRunning}>
        Download
      </Button>
      <ProblemBox problem={reading.problem} doing="Reading the log" />
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
