import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { AgentConnection, CONNECTION_FILE } from "#contract/agent-connection.ts";
import { storedAs } from "#contract/stored.ts";

const storedConnection = storedAs(AgentConnection);

/** `unreadable`: the system refuses it, perhaps only now. `damaged`: it must be written again. */
export type ConnectionRead =
  | { readonly kind: "found"; readonly connection: AgentConnection }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable" | "damaged"; readonly reason: string };

export function connectionPath(home: string): string {
  return join(home, CONNECTION_FILE);
}

/** Reads the file that enrolment wrote. Never throws. */
export async function readConnection(home: string): Promise<ConnectionRead> {
  let text: string;
  try {
    text = await readFile(connectionPath(home), "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { kind: "missing" };
    return { kind: "unreadable", reason: messageOf(error) };
  }
  try {
    return { kind: "found", connection: storedConnection.parse(JSON.parse(text)) };
  } catch {
    return { kind: "damaged", reason: "it is not a valid enrolment" };
  }
}

/** Readable by this user only: anyone with the credential can act as this server. */
export async function writeConnection(home: string, connection: AgentConnection): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeAtomic(connectionPath(home), `${JSON.stringify(connection, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
}
