import type { WaitingOn } from "#contract/endpoints/deployments/schemas.ts";
import type { Session } from "#cli/session/session.ts";
import { waitingText } from "#cli/views/deployment-text.ts";

/** As `waitingText`, with the name of a freeze if the token may read it. */
export async function describeWaiting({ client }: Session, waiting: WaitingOn): Promise<string> {
  if (waiting.type !== "freeze") return waitingText(waiting, null);
  const freeze = await client.getFreeze({ params: { freeze_id: waiting.id } });
  return waitingText(waiting, freeze.ok ? freeze.value.name : null);
}
