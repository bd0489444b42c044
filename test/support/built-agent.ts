import { agentBeside, buildWorker } from "../../scripts/shared/build-worker.ts";

/**
 * Builds the Worker if its sources have changed, and with it the agent.
 * @returns the path of the bundle that servers download
 */
export async function builtAgent(): Promise<string> {
  const built = await buildWorker();
  if (!built.ok) throw new Error(`the Worker does not build:\n${built.output}`);
  return agentBeside(built.bundle);
}
