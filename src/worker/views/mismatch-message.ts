import { agentFilePaths } from "#contract/agent-files.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

/**
 * What whoever runs a server is told where its agent speaks another version of the protocol than this installation.
 * @param protocol what the agent speaks
 */
export function mismatchMessage(protocol: number): string {
  const versions = `The agent speaks protocol ${protocol}, this installation ${PROTOCOL_VERSION}`;
  const remedy = `run this installation's ${agentFilePaths.installer} on the server`;
  return protocol < PROTOCOL_VERSION
    ? `${versions}: update the agent; ${remedy}.`
    : `${versions}: update this installation, or go back to its agent; ${remedy}.`;
}
