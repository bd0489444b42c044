/** An environment variable; null where it is unset or empty. */
export function variable(environment: NodeJS.ProcessEnv, name: string): string | null {
  const value = environment[name]?.trim() ?? "";
  return value === "" ? null : value;
}
