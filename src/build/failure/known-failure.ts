/** A known failure of an install or build command: what its output contains, and what to do. */
export type KnownFailure = readonly [pattern: RegExp, hint: (...groups: readonly string[]) => string];

/** @param name empty if the output does not say it */
export function missingVariable(name: string): string {
  return `Set the variable${name === "" ? "" : ` ${name}`} in the project. Builds get secrets only if they are set for builds too.`;
}
