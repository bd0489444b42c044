/** The command that asks for a secret and seals it. @param project the project's name */
export function sealCommand(project: string): string {
  const quoted = /^[\w.-]+$/.test(project) ? project : `'${project.replaceAll("'", String.raw`'\''`)}'`;
  return `gantry variables set --project=${quoted} --secret NAME`;
}
