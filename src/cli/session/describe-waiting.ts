import type { WaitingOn } from "#contract/endpoints/deployments/schemas.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";
import { waitingText } from "#cli/views/deployment-text.ts";

/** As `waitingText`, with the name of a freeze if the token may read it. */
export async function describeWaiting(session: Session, waiting: WaitingOn): Promise<string> {
  if (waiting.type !== "freeze" || !(await mayCall(session, "getFreeze"))) return waitingText(waiting, null);
  const freeze = await session.client.getFreeze({ params: { freeze_id: waiting.id } });
  return waitingText(waiting, freeze.ok ? freeze.value.name : null);
}
