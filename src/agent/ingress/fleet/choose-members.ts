import { SLOTS } from "#agent/ingress/slots.ts";
import type { ServerId } from "#contract/ids.ts";

/**
 * What a member says about a project. `draining`: it takes no new visitors, but answers every request. `silent`: it does not
 * answer, or was just started and has no apps yet. `absent`: it has no release of the project, or is about to remove it.
 */
export type Verdict = "ready" | "draining" | "silent" | "absent";

/** What a balancer knows of a member. `others`: how many of its last answers, in a row, were other than the verdict. */
export type Health = { readonly verdict: Verdict; readonly others: number; readonly isChecked: boolean };

/** How many answers in a row change a verdict. */
const ANSWERS = 2;

/** Before the first check. @param isIn whether it got requests until now */
export function firstHealth(isIn: boolean): Health {
  return { verdict: isIn ? "ready" : "silent", others: 0, isChecked: false };
}

/** @param seen the latest answer */
export function nextHealth({ verdict, others }: Health, seen: Verdict): Health {
  const isChecked = true;
  if (seen === verdict) return { verdict, others: 0, isChecked };
  return others + 1 >= ANSWERS
    ? { verdict: seen, others: 0, isChecked }
    : { verdict, others: others + 1, isChecked };
}

/**
 * The members that get requests. Without a ready member, the drained members still answer. Without an answer from any, all
 * members that may have the project get requests: the checks may be wrong, and a page instead of an answer helps no visitor.
 */
export function chooseMembers(
  members: readonly ServerId[],
  verdictOf: (member: ServerId) => Verdict,
): readonly ServerId[] {
  for (const verdict of ["ready", "draining", "silent"] as const) {
    const found = members.filter((member) => verdictOf(member) === verdict);
    if (found.length > 0) return found;
  }
  return members;
}

/** A slot belongs to a member: a cookie names the slot, and so the member. `turn` counts the slots of a member. */
export type BalanceSlot = { readonly owner: ServerId; readonly turn: number };

/** The slots of all members, in the order in which requests go to them. */
export function balanceSlots(members: readonly ServerId[]): readonly BalanceSlot[] {
  return Array.from({ length: SLOTS }, (_, turn) => members.map((owner) => ({ owner, turn }))).flat();
}

/**
 * Which member gets the requests of a slot: its owner, or instead of an owner that is out, one of the others. The slots of an
 * owner go to all others alike, and a slot changes only when its own member leaves or returns.
 * @param chosen at least one of the members, if there are any
 */
export function memberOfSlot(
  { owner, turn }: BalanceSlot,
  members: readonly ServerId[],
  chosen: readonly ServerId[],
): ServerId {
  const others = members.filter((member) => member !== owner);
  const start = others.length === 0 ? 0 : turn % others.length;
  const rotated = [...others.slice(start), ...others.slice(0, start)];
  // Every second round the other way round, so that the slots of two that are out spread too.
  const isReversed = others.length > 0 && Math.floor(turn / others.length) % 2 === 1;
  const order = [owner, ...(isReversed ? rotated.toReversed() : rotated)];
  return order.find((member) => chosen.includes(member)) ?? owner;
}
