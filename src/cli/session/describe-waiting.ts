import type { WaitingOn } from "#contract/endpoints/deployments/schemas.ts";
import { serverName } from "#cli/session/find-named.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";
import { waitingText } from "#cli/views/deployment-text.ts";

/** As `waitingText`, with the name of the freeze or server and the version of the deployment, as far as the token may read them. */
export async function describeWaiting(session: Session, waiting: WaitingOn): Promise<string> {
  return waitingText(waiting, await nameOf(session, waiting));
}

async function nameOf(session: Session, waiting: WaitingOn): Promise<string | null> {
  const { client } = session;
  switch (waiting.type) {
    case "deployment": {
      const ahead = await client.getDeployment({ params: { deployment_id: waiting.id } });
      return ahead.ok ? `v${ahead.value.version}` : null;
    }
    case "server":
    case "commit":
      return await serverName(session, waiting.id);
    case "freeze": {
      if (!(await mayCall(session, "getFreeze"))) return null;
      const freeze = await client.getFreeze({ params: { freeze_id: waiting.id } });
      return freeze.ok ? freeze.value.name : null;
    }
    case "approval":
    case "batch":
    default:
      return null;
  }
}
