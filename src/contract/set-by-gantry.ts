/** What Gantry sets for each instance with a port, whatever the project's variables are. */
const setByGantry: ReadonlyMap<string, string> = new Map([
  [
    "PORT",
    "Gantry gives each one a port of its own in PORT. To choose the public address, set the project's domain.",
  ],
  ["HOST", "Gantry sets it to 127.0.0.1, where its ingress reaches them."],
]);

/** A sentence about a variable that has no effect on the instances of a process with a port; null for other variables. */
export function noEffectOf(name: string): string | null {
  const why = setByGantry.get(name);
  return why === undefined ? null : `${name} has no effect on instances with a port: ${why}`;
}
