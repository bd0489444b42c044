import type { HelperRequest } from "#agent/isolation/helper.ts";

import type { DebianMachine } from "./debian-machine.ts";

/**
 * Connects to the isolation helper as the agent's user, as a hostile agent could.
 * @param script JavaScript that calls `write` and uses `socket`
 * @returns all that the helper answers
 */
export async function connectToHelper(machine: DebianMachine, script: string): Promise<string> {
  const program = `
    const socket = require("net").connect("/run/gantry-isolate.sock");
    socket.on("data", (data) => process.stdout.write(data)).on("error", () => undefined);
    const write = (text) => socket.write(text);
    ${script}`;
  const { output } = await machine.run(
    "setpriv --reuid=gantry --regid=gantry --clear-groups timeout 40 node -",
    {},
    program,
  );
  return output;
}

/** Sends the isolation helper one request, or a line that may be none, and the text after it. */
export function askHelper(
  machine: DebianMachine,
  request: HelperRequest | string,
  rest = "",
): Promise<string> {
  const line = typeof request === "string" ? request : JSON.stringify(request);
  return connectToHelper(machine, `write(${JSON.stringify(`${line}\n${rest}`)});`);
}
