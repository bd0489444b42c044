import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { findServer } from "#cli/session/find-named.ts";
import { type Session, withSession } from "#cli/session/session.ts";

const words = { server: { isRequired: true, help: "Server name or ID" } } as const;

export const serversDrain = defineCommand({
  name: "servers drain",
  summary: "Have load balancers send a server no more requests",
  details: [
    `The server's ready URL, ${READY_PATH}, answers 503. The server still answers all requests that it gets, and deployments work as usual. It lasts until gantry servers undrain, also across restarts of the server.`,
    "The exit code is 0 only if the server has applied it. A server that is not connected does so when it connects again.",
  ],
  words,
  options: {},
  examples: ["servers drain web-1"],
  run: withSession((session, given) => change(session, given.words.server, true)),
});

export const serversUndrain = defineCommand({
  name: "servers undrain",
  summary: "Have load balancers send a drained server requests again",
  words,
  options: {},
  examples: ["servers undrain web-1"],
  run: withSession((session, given) => change(session, given.words.server, false)),
});

async function change(session: Session, word: string, isDraining: boolean): Promise<Outcome> {
  const { client, output } = session;
  const found = await findServer(session, word);
  if (!found.ok) return found;
  const request = { params: { server_id: found.value.id }, body: {} };
  const set = await (isDraining ? client.drainServer(request) : client.undrainServer(request));
  if (!set.ok) return set;
  const { name, applied, detail } = set.value;
  output.json(set.value);
  if (applied) {
    output.line(
      `${printableName(name)} is ${isDraining ? "drained: its ready URL answers 503" : "no longer drained"}.`,
    );
    return done;
  }
  output.note(`Stored, but the server has not applied it: ${printable(detail ?? "")}`);
  return { ok: true, exit: "failed" };
}
