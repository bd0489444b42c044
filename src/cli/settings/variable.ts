/** An environment variable; null if it is unset or empty. */
export function variable(environment: NodeJS.ProcessEnv, name: string): string | null {
  const value = environment[name]?.trim() ?? "";
  return value === "" ? null : value;
}
