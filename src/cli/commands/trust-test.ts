import { defineCommand } from "#cli/arguments/command.ts";
import { readToken } from "#cli/ask.ts";
import { type Outcome, done, stop } from "#cli/outcome.ts";
import { printFacts } from "#cli/output/facts.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { withSession } from "#cli/session/session.ts";

const notTrusted: Outcome = { ok: true, exit: "failed" };

export const trustTest = defineCommand({
  name: "trust test",
  summary: "Test an identity token against the trust rules",
  details: [
    "Prompts for the identity token of a job, or reads it from standard input. Prints its claims, and whether each rule of its issuer matches, or which claim does not. An expired token is tested too, and the test does not use it up. The exit code is 0 only if the token is valid and a rule matches.",
  ],
  words: {},
  options: {},
  examples: ["trust test < identity-token.txt"],
  run: withSession(async (session) => {
    const { client, output } = session;
    const token = await readToken(session, "Identity token: ");
    if (!token.ok) return token;
    if (token.value === "")
      return stop("usage", "Standard input is empty. Pipe the identity token into gantry trust test.");
    const tested = await client.testTrustRules({ body: { subject_token: token.value } });
    if (!tested.ok) return tested;
    const { issuer, claims, problem, verdicts } = tested.value;
    output.json(tested.value);
    if (issuer !== null) printFacts(output, Object.entries(claims));
    for (const { trust_rule: rule, problem: why } of verdicts)
      output.line(`${printableName(rule.name)}: ${why === null ? "matches" : printable(why)}`);
    if (problem !== null) output.line(printable(problem));
    const isTrusted = problem === null && verdicts.some(({ problem: why }) => why === null);
    return isTrusted ? done : notTrusted;
  }),
});
