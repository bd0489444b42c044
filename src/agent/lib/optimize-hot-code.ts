import { setFlagsFromString } from "node:v8";

/** The oldest Node with the optimizing compiler Maglev on, which was measured to be as fast for the agent as TurboFan. */
const WITH_MAGLEV = 24;

export const hasMaglev = Number.parseInt(process.versions.node, 10) >= WITH_MAGLEV;

/**
 * Lets Maglev compile what runs often, from now on. Call it before reading the output of a project's command, which takes
 * a third more CPU time without it. The agent starts with `--no-maglev`, because an idle one takes 2 MB less then.
 */
export function optimizeHotCode(): void {
  if (hasMaglev) setFlagsFromString("--maglev");
}
