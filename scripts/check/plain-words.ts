import type { CommandOutcome } from "../shared/run-command.ts";
import { isText, searchFiles, trackedFiles } from "./tracked-texts.ts";

/** Words that a reader has to look up or to read twice, and what to write instead. */
const rules: readonly (readonly [avoid: RegExp, write: string])[] = [
  // Names: one word for one thing, in API, code, database, pages and docs.
  [/\bis_?over\b|\binstruction: "over"|\bwas_?over\b/i, "ended"],
  [/\b(?:add|remove|replace|silent|other)Host\b|\bhostOf\b/, "placement"],
  [/\bforget(?:s|ting)? (?:a|the|its) project|\bforgetProject\b|\bforgotten project\b/i, "remove"],
  [/\bgreet(?:s|ed|ing|ings)?\b|\bdecideGreeting\b|\bcompares? notes\b/i, "reconcile, or hello"],
  [/\brestoreRelease\b|\brestoreNote\b|"restore"/i, "correctRelease"],
  [
    /\bdue(?:Message|Forget)s?\b|\bdue messages?\b|\bnote(?:Un)?[tT]old\b/,
    "pending message, sentAt, undelivered",
  ],
  [/\bsetFound\b|\bnoteFound\b|\bframework (?:that )?(?:is|was) found\b/, "detected"],
  [/\brides?[ _]?along\b|\bridesAlong\b/i, "preapproved"],
  [/\berrands?\b|\binbox\b|Errands?\b|Inbox\b/, "deliveries"],
  [
    /\benter(?:WithToken|AsAgent|Freely)\b|\beveryAnswer\b|\banswerElsewhere\b|\batTheDoor\b/,
    "authenticate, commonHeaders, fallback, requireHttps",
  ],
  [/\bRemembered\b|\bcoalesced\b|\bAttempts\b/, "TtlCache, singleFlight, RetryTracker"],
  [/\bsendPatiently\b|\bkept\(\)|\blater\(async\b/, "sendWithRetry, memo, lazy"],
  [/\bwrite_?whole\b|\bwritten (?:as a )?whole\b/i, "atomic"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix, repair"],
  [/\bknock(?:s|ed|ing)?\b/i, "trigger"],
  [/\bLaneParts\b|\b(?:scripts|dashboard)\/parts\b/, "shared, context"],
  // Phrases.
  [/\bgo(?:es|ing|ne)? on\b|\bwent on\b/i, "continue"],
  [/\bwhoever\b|\bwhomever\b/i, "anyone who, the caller, a person who"],
  [/\banew\b/i, "again"],
  [/\blet(?:s|ting)? go of\b/i, "remove, release"],
  [/\bgone back to\b|\bgo(?:es)? back to a deployment\b/i, "rolled back to"],
  [/\bput(?:s|ting)? right\b|\bput(?:s|ting)? in order\b/i, "fix, repair, clean up"],
  [/\bnobody (?:is|was) there\b/i, "no terminal, not connected"],
  [/\b(?:is|are|was|were) no more\b|\bno more itself\b/i, "no longer exists"],
  [/\b(?:not|nothing|nobody|none) [\w' ]{0,40}any more\b/i, "no longer"],
  [/\bas ever\b|\bhence(?:forth)?\b|\bthereof\b|\bthereby\b|\bof old\b/i, "plain words"],
  [/\bwhat (?:there )?is there\b|\bwhat was there\b/i, "the thing by its name"],
  [/\bmay well\b|\bbe it\b|\bone's own\b|\bfor good\b/i, "plain words"],
  // Pronouns whose noun the reader has to find.
  [/\b(?:that|those) of\b/i, "the noun, or the owner's"],
  [/\bthose (?:after|at|before|for|from|in|on|that|which|who|whose|with)\b/i, "the noun"],
  [/\bthe ones?(?= (?:after|before|for|from|in|of|on|that|which|who|with)\b|[.,;:)])/i, "the noun"],
  [/(?<!\bthat )\bones? (?:that|which)\b/i, "the noun"],
  [/\bwhich is what\b/i, "the noun"],
  [/\bin between\b/i, "meanwhile, before the …, on the way"],
  [/\bone after the other\b/i, "in sequence, in a row"],
];

/** Files that quote the words on purpose. */
const exempt = new Set([
  "scripts/check/plain-words.ts",
  "test/scripts/check/plain-words.test.ts",
  "docs/contributing.md",
]);

/** @returns a finding with file, line and replacement for each word that `rules` lists */
export function findWordsToAvoid(path: string, text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const searched = `${line} ${firstWords(lines[index + 1] ?? "")}`;
    return rules.flatMap(([avoid, write]) => {
      const found = avoid.exec(searched);
      if (found === null || found.index >= line.length) return [];
      return [`${path}:${index + 1}: "${found[0]}": write ${write}`];
    });
  });
}

/** The first words of a line, without the mark of a comment: a phrase may continue there. */
function firstWords(line: string): string {
  const words = line.replace(/^\s*(?:\*|\/\/|#)?\s*/, "").split(" ");
  return words.slice(0, 3).join(" ");
}

/** Searches every tracked text for the words that `rules` lists. */
export async function checkPlainWords(): Promise<CommandOutcome> {
  const paths = (await trackedFiles()).filter((path) => isText(path) && !exempt.has(path));
  return searchFiles(paths, findWordsToAvoid);
}
