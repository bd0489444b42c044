import { agentBeside, buildWorker, sitesBeside } from "../../scripts/shared/build-worker.ts";

/**
 * Builds the Worker if its sources have changed, and with it the programs of a server.
 * @returns the paths of the agent that servers download and of the site server
 */
export async function builtPrograms(): Promise<{ agentProgram: string; sitesProgram: string }> {
  const built = await buildWorker();
  if (!built.ok) throw new Error(`the Worker does not build:\n${built.output}`);
  return { agentProgram: await agentBeside(built.bundle), sitesProgram: sitesBeside(built.bundle) };
}
