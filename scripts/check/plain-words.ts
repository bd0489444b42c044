import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";

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

/** The text that states the rules, and texts that are not ours. */
const exempt = new Set(["scripts/check/plain-words.ts", "package-lock.json", "docs/contributing.md"]);
const isText = (path: string) => /\.(?:ts|tsx|mjs|js|md|css|sh|toml|yml|yaml|html)$|^\.ci\/run$/.test(path);

/** Looks for the words that `rules` lists in every tracked text. */
export async function checkPlainWords(): Promise<CommandOutcome> {
  const listed = await runCommand(["git", "ls-files", "-z"]);
  if (listed.code !== 0) return listed;
  const findings: string[] = [];
  for (const path of listed.output.split("\0").filter((name) => isText(name) && !exempt.has(name))) {
    const text = await readFile(join(root, path), "utf8").catch(() => "");
    for (const [index, line] of text.split("\n").entries())
      for (const { avoid, write } of rules) {
        const found = avoid.exec(line);
        if (found !== null) findings.push(`${path}:${index + 1}: "${found[0]}": write ${write}`);
      }
  }
  return { code: findings.length === 0 ? 0 : 1, output: findings.join("\n") };
}
