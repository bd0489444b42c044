/** How each file has the version of Gantry. `name`: the path of the file in the repository. */
type Mention = { readonly name: RegExp; readonly text: (version: string) => string };

const mentions: readonly Mention[] = [
  { name: /^package(?:-lock)?\.json$/, text: (version) => `"name": "gantry",\n  "version": "${version}"` },
  { name: /^package-lock\.json$/, text: (version) => `"name": "gantry",\n      "version": "${version}"` },
  { name: /^src\/cli\/version\.ts$/, text: (version) => `COMMAND_VERSION = "${version}"` },
  { name: /^src\/agent\/context\/version\.ts$/, text: (version) => `AGENT_VERSION = "${version}"` },
  // The command lines of the documentation name the package of the command.
  { name: /^(?:README\.md|docs\/.*\.md|templates\/.*\.yml)$/, text: (version) => `gantry-${version}.tgz` },
];

/** The files that must have the version: without it, a program would report another one. */
export const versionFiles = [
  "package.json",
  "package-lock.json",
  "src/cli/version.ts",
  "src/agent/context/version.ts",
] as const;

/** Whether a file can have the version. */
export function hasMention(name: string): boolean {
  return mentions.some((mention) => mention.name.test(name));
}

/** A file's text with another version. Other texts that look like a version stay. */
export function withVersion(name: string, text: string, from: string, to: string): string {
  return mentions
    .filter((mention) => mention.name.test(name))
    .reduce((changed, mention) => changed.replaceAll(mention.text(from), () => mention.text(to)), text);
}
