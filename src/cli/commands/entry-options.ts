import { type Entry, EntryType } from "#contract/endpoints/projects/entry.ts";
import type { ServerId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

/** The options for how visitors reach the servers of a project. */
export const entryOptions = {
  entry: {
    kind: "text",
    value: "HOW",
    choices: EntryType.options,
    help: "How visitors reach the servers: each one, a balancer of Gantry, or a load balancer of your own",
  },
  balancer: {
    kind: "list",
    value: "SERVER",
    help: "Server in front of the others, for --entry balancer; one or two",
  },
  sticky: { kind: "flag", help: "Send a visitor to the same server again, for --entry balancer" },
} as const satisfies OptionSpecs;

/** Explains these options in the help of a command. */
export const entryDetails =
  "--entry counts at once, and replaces the balancers and --sticky as well. Behind a balancer, each server needs an address that the balancer reaches: gantry servers set NAME --address.";

/**
 * The setting of these options; null without any.
 * @param current the project's own, from which --balancer or --sticky alone takes the rest; null: a new project
 */
export async function readEntry(
  session: Session,
  { entry, balancer: words, sticky }: Options<typeof entryOptions>,
  current: Entry | null,
): Promise<Result<Entry | null>> {
  if (entry === null && words.length === 0 && !sticky) return succeed(null);
  const type = EntryType.safeParse(entry ?? "balancer").data ?? "balancer";
  if (type !== "balancer") {
    if (words.length > 0 || sticky)
      return stop("usage", `--entry ${type} takes neither --balancer nor --sticky.`);
    return succeed({ type, balancers: [], sticky: false });
  }
  const balancers = await findBalancers(session, words);
  if (!balancers.ok) return balancers;
  const kept = words.length === 0 ? (current?.balancers ?? []) : balancers.value;
  if (kept.length === 0)
    return stop("usage", "--entry balancer needs --balancer SERVER, such as --balancer lb-1.");
  const isKept = entry === null && current !== null && current.sticky;
  return succeed({ type, balancers: [...kept], sticky: sticky || isKept });
}

async function findBalancers(
  session: Session,
  words: readonly string[],
): Promise<Result<readonly ServerId[]>> {
  const ids: ServerId[] = [];
  for (const word of words) {
    const found = await findServer(session, word);
    if (!found.ok) return found;
    ids.push(found.value.id);
  }
  return succeed(ids);
}
