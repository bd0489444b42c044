/** The commit of each submodule (mode 160000) in the output of `git ls-tree -z`, by path. */
export function readGitlinks(output: string): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const record of output.split("\0")) {
    const match = /^160000 commit ([0-9a-f]+)\t([\s\S]+)$/.exec(record);
    if (match?.[1] !== undefined && match[2] !== undefined) links.set(match[2], match[1]);
  }
  return links;
}
