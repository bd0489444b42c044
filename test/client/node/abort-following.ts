import { setTimeout as pause } from "node:timers/promises";

import { followLog } from "#client/follow-log.ts";
import { DeploymentId } from "#contract/ids.ts";

// A process of its own: it ends by itself only where nothing is left that it waits for, no timer and no socket.
const [baseUrl = "", id = "", ...delaysMs] = process.argv.slice(2);

async function follow(aborted: AbortController): Promise<void> {
  const transport = { baseUrl, token: null, fetch };
  const options = { signal: aborted.signal, silenceMs: 600_000 };
  for await (const event of followLog(transport, DeploymentId.parse(id), options))
    if (aborted.signal.aborted) throw new Error(`${event.type} came after the end`);
}

for (const delayMs of delaysMs.map(Number)) {
  const aborted = new AbortController();
  await Promise.all([follow(aborted), pause(delayMs).then(() => aborted.abort())]);
}

// Where no delay is given, whoever has started it says when. A handler of a signal keeps no process alive.
if (delaysMs.length === 0) {
  const aborted = new AbortController();
  process.once("SIGUSR2", () => aborted.abort());
  await follow(aborted);
}
