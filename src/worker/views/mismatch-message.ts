import { agentFilePaths } from "#contract/agent-files.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

/**
 * The message for a server whose agent speaks another protocol version than this installation.
 * @param protocol the agent's version
 */
export function mismatchMessage(protocol: number): string {
  const versions = `The agent speaks protocol ${protocol}, this installation ${PROTOCOL_VERSION}`;
  const remedy = `run this installation's ${agentFilePaths.installer} on the server`;
  return protocol < PROTOCOL_VERSION
    ? `${versions}: update the agent; ${remedy}.`
    : `${versions}: update this installation, or install its older agent; ${remedy}.`;
}
