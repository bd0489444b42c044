import { defineCommand } from "#cli/arguments/command.ts";
import { confirm } from "#cli/ask.ts";
import type { Step } from "#cli/configuration/plan.ts";
import { acceptOptions, configOptions, fileDetails, fileWord } from "#cli/commands/config-options.ts";
import { exitOf } from "#cli/exit-codes.ts";
import { done } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import type { Problem } from "#contract/problems.ts";

export const configApply = defineCommand({
  name: "config apply",
  summary: "Make an installation like a file",
  details: [
    "Shows the plan, asks, and carries it out in one order: projects, variables, hooks, webhooks, freezes, trust rules, grants, and then deletions. If it is interrupted, run it again: it continues with what is left.",
    fileDetails,
    "Nothing is overwritten that was changed while the command ran. With --plan it also refuses if anything has changed since that plan, and does not ask. Settings of a project take effect with its next deployment, or with gantry apply.",
  ],
  words: fileWord,
  options: {
    ...configOptions,
    ...acceptOptions,
    plan: {
      kind: "text",
      value: "PLAN",
      help: "Apply only this plan: its fingerprint, or the file of gantry config plan --out",
    },
    yes: { kind: "flag", short: "y", help: "Apply without asking" },
  },
  examples: ["config apply", "config apply gantry.toml --yes", "config apply --plan plan.json"],
  run: withSession(async (session, { words, options }) => {
    const { DEFAULT_FILE, preparePlan } = await import("#cli/configuration/prepare-plan.ts");
    const { runPlan, missingSources } = await import("#cli/configuration/run-plan.ts");
    const { confirmText, doneText, planDocument, printPlan, stepDocument } =
      await import("#cli/views/plan-text.ts");
    const { checkPlan } = await import("#cli/configuration/check-plan.ts");
    const prepared = await preparePlan(session, words.file ?? DEFAULT_FILE, options);
    if (!prepared.ok) return prepared;
    const { plan, fingerprint, names, current } = prepared.value;
    const { output } = session;
    const isPlanned = await checkPlan(session, options.plan, { plan, fingerprint });
    if (!isPlanned.ok) return isPlanned;
    printPlan(output, plan);
    const missing = missingSources(plan.steps, session.environment);
    if (missing !== null) return missing;
    if (plan.steps.length > 0) {
      const confirmed = await confirm(session, confirmText(plan), options.yes || options.plan !== null);
      if (!confirmed.ok) return confirmed;
    }
    const applied: Step[] = [];
    const ran = await runPlan(plan, {
      ...{ session, names, current, acceptKeys: options["accept-key"] },
      onDone: (step) => {
        applied.push(step);
        output.line(doneText(output, step));
      },
    });
    output.json({ ...planDocument(plan, fingerprint), applied: applied.map(stepDocument) });
    if (ran.ok) return done;
    if (applied.length > 0 || plan.steps.length > 1) {
      const correct = isOfFile(ran.problem) ? "Correct the file, and run" : "Run";
      output.note(
        `${applied.length} of ${plan.steps.length} changes were made. ${correct} the command again for the others.`,
      );
    }
    return ran;
  }),
});

/** Refusals that another try can pass with the same file. */
const passing = ["changed_since_plan", "revision_conflict", "no_seal_key"];

/** Whether the same file would be refused again. */
function isOfFile(problem: Problem): boolean {
  return exitOf(problem) === "refused" && !passing.includes(problem.code);
}
