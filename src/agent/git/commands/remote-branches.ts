import { readRefs } from "#agent/git/commands/read-git-output.ts";
import { shellWord } from "#node/shell-quote.ts";

/** The branches of a remote. `main`: the default branch, which its HEAD names; null: HEAD names no existing branch. */
export type RemoteBranches = {
  readonly main: string | null;
  readonly names: readonly string[];
  /** Whether it has neither branches nor tags. */
  readonly isEmpty: boolean;
};

const HEADS = "refs/heads/";
const MOST_NAMED = 5;

/** Parses the output of `listBranches`: `ref: refs/heads/main\tHEAD`, and a line for each ref. */
export function readRemoteBranches(output: string): RemoteBranches {
  const refs = readRefs(output).filter(({ ref }) => ref.startsWith("refs/"));
  const names = refs.flatMap(({ ref }) => (ref.startsWith(HEADS) ? [ref.slice(HEADS.length)] : []));
  const [, head = null] = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(output) ?? [];
  return { main: head !== null && names.includes(head) ? head : null, names, isEmpty: refs.length === 0 };
}

/**
 * What a person can do about a branch that a remote does not have, as sentences: the branch that was probably meant, or the
 * default one, and the command for it. Empty for an empty remote.
 * @param command sets or deploys the branch that it is followed by
 */
export function adviseBranch(
  { main, names, isEmpty }: RemoteBranches,
  missing: string,
  command: string,
): string {
  if (isEmpty) return "";
  if (names.length === 0) return "It has tags, but no branches.";
  const bare = missing.replace(/^(?:refs\/heads|(?:remotes\/)?origin|heads)\//, "");
  const near = names.find((name) => name === bare || name.toLowerCase() === bare.toLowerCase());
  const set = (branch: string) => `${command} ${branch}`;
  if (near !== undefined && near !== main)
    return `It has \`${near}\`. To deploy that, run: ${set(shellWord(near))}`;
  if (main !== null) return `Its default branch is \`${main}\`. To deploy that, run: ${set(shellWord(main))}`;
  return `Its branches are ${listed(names)}. To deploy one, run: ${set("BRANCH")}`;
}

/** The command that changes the branch of a project. */
export const setBranch = (project: string) => `gantry projects set ${shellWord(project)} --branch`;

/** The same if a deployment was started for another branch than that of its project, which the remote has. */
export function adviseOtherBranch({ names }: RemoteBranches, ofProject: string): string {
  return `Its branches are ${listed(names)}. Deploy one with gantry deploy --branch NAME, or without --branch \`${ofProject}\`.`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : "";
  return `${names
    .slice(0, MOST_NAMED)
    .map((name) => `\`${name}\``)
    .join(", ")}${more}`;
}
