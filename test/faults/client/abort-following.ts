import { setTimeout as pause } from "node:timers/promises";

import { followLog } from "#client/follow-log.ts";
import { DeploymentId } from "#contract/ids.ts";

// Runs as a separate process, which exits only if no timer and no socket is left open.
const [baseUrl = "", id = "", ...delaysMs] = process.argv.slice(2);

async function follow(aborted: AbortController): Promise<void> {
  const transport = { baseUrl, token: null, fetch };
  const options = { signal: aborted.signal, silenceMs: 600_000 };
  for await (const event of followLog(transport, DeploymentId.parse(id), options))
    if (aborted.signal.aborted) throw new Error(`received ${event.type} after the abort`);
}

for (const delayMs of delaysMs.map(Number)) {
  const aborted = new AbortController();
  await Promise.all([follow(aborted), pause(delayMs).then(() => aborted.abort())]);
}

// Without delays, SIGUSR2 aborts it. A signal handler does not keep the process alive.
if (delaysMs.length === 0) {
  const aborted = new AbortController();
  process.once("SIGUSR2", () => aborted.abort());
  await follow(aborted);
}
