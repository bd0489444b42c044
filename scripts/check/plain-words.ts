import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "../shared/root.ts";
import type { CommandOutcome } from "../shared/run-command.ts";
import { isText, trackedFiles } from "./tracked-texts.ts";

type Rule = { readonly avoid: RegExp; readonly write: string };

/** Words that a reader has to look up or to read twice, and what to write instead. */
const rules: readonly Rule[] = [
  // Names: one word for one thing, in API, code, database, pages and docs.
  { avoid: /\bis_?over\b|\binstruction: "over"|\bwas_?over\b/i, write: "ended" },
  { avoid: /\b(?:add|remove|replace|silent|other)Host\b|\bhostOf\b/, write: "placement" },
  {
    avoid: /\bforget(?:s|ting)? (?:a|the|its) project|\bforgetProject\b|\bforgotten project\b/i,
    write: "remove",
  },
  {
    avoid: /\bgreet(?:s|ed|ing|ings)?\b|\bdecideGreeting\b|\bcompares? notes\b/i,
    write: "reconcile, or hello",
  },
  { avoid: /\brestoreRelease\b|\brestoreNote\b|"restore"/i, write: "correctRelease" },
  {
    avoid: /\bdue(?:Message|Forget)s?\b|\bdue messages?\b|\bnote(?:Un)?[tT]old\b/,
    write: "pending message, sentAt, undelivered",
  },
  { avoid: /\bsetFound\b|\bnoteFound\b|\bframework (?:that )?(?:is|was) found\b/, write: "detected" },
  { avoid: /\brides?[ _]?along\b|\bridesAlong\b/i, write: "preapproved" },
  { avoid: /\berrands?\b|\binbox\b|Errands?\b|Inbox\b/, write: "deliveries" },
  {
    avoid: /\benter(?:WithToken|AsAgent|Freely)\b|\beveryAnswer\b|\banswerElsewhere\b|\batTheDoor\b/,
    write: "authenticate, commonHeaders, fallback, requireHttps",
  },
  { avoid: /\bRemembered\b|\bcoalesced\b|\bAttempts\b/, write: "TtlCache, singleFlight, RetryTracker" },
  { avoid: /\bsendPatiently\b|\bkept\(\)|\blater\(async\b/, write: "sendWithRetry, memo, lazy" },
  { avoid: /\bwrite_?whole\b|\bwritten (?:as a )?whole\b/i, write: "atomic" },
  { avoid: /\bmend(?:s|ed|ing)?\b/i, write: "fix, repair" },
  { avoid: /\bknock(?:s|ed|ing)?\b/i, write: "trigger" },
  { avoid: /\bLaneParts\b|\b(?:scripts|dashboard)\/parts\b/, write: "shared, context" },
  // Phrases.
  { avoid: /\bgo(?:es|ing|ne)? on\b|\bwent on\b/i, write: "continue" },
  { avoid: /\bwhoever\b|\bwhomever\b/i, write: "anyone who, the caller, a person who" },
  { avoid: /\banew\b/i, write: "again" },
  { avoid: /\blet(?:s|ting)? go of\b/i, write: "remove, release" },
  { avoid: /\bgone back to\b|\bgo(?:es)? back to a deployment\b/i, write: "rolled back to" },
  { avoid: /\bput(?:s|ting)? right\b|\bput(?:s|ting)? in order\b/i, write: "fix, repair, clean up" },
  { avoid: /\bnobody (?:is|was) there\b/i, write: "no terminal, not connected" },
  { avoid: /\b(?:is|are|was|were) no more\b|\bno more itself\b/i, write: "no longer exists" },
  { avoid: /\b(?:not|nothing|nobody|none) [\w' ]{0,40}any more\b/i, write: "no longer" },
  { avoid: /\bas ever\b|\bhence(?:forth)?\b|\bthereof\b|\bthereby\b|\bof old\b/i, write: "plain words" },
  { avoid: /\bwhat (?:there )?is there\b|\bwhat was there\b/i, write: "the thing by its name" },
  { avoid: /\bmay well\b|\bbe it\b|\bone's own\b|\bfor good\b/i, write: "plain words" },
];

/** Files that quote the words on purpose. */
const exempt = new Set([
  "scripts/check/plain-words.ts",
  "test/domain/plain-words.test.ts",
  "docs/contributing.md",
]);

/** @returns a finding with file, line and replacement for each word that `rules` lists */
export function findWordsToAvoid(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    rules.flatMap(({ avoid, write }) => {
      const found = avoid.exec(line);
      return found === null ? [] : [`${path}:${index + 1}: "${found[0]}": write ${write}`];
    }),
  );
}

/** Searches every tracked text for the words that `rules` lists. */
export async function checkPlainWords(): Promise<CommandOutcome> {
  const findings: string[] = [];
  for (const path of (await trackedFiles()).filter((name) => isText(name) && !exempt.has(name)))
    findings.push(...findWordsToAvoid(path, await readFile(join(root, path), "utf8").catch(() => "")));
  return { code: findings.length === 0 ? 0 : 1, output: findings.join("\n") };
}
