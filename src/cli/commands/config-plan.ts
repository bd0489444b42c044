import { defineCommand } from "#cli/arguments/command.ts";
import { configOptions, fileDetails, fileWord } from "#cli/commands/config-options.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import { exitCodes, exitOf } from "#cli/exit-codes.ts";
import { type Session, withSession } from "#cli/session/session.ts";

/** Programs tell changes from errors by it. Source: the convention of diff-like tools such as Terraform. */
const HAS_CHANGES = 2;

export const configPlan = defineCommand({
  name: "config plan",
  isGroupDefault: true,
  summary: "Show what gantry config apply would change",
  details: [
    `Exits with 0 if nothing would change, with ${HAS_CHANGES} if something would, and with another code after an error.`,
    fileDetails,
    "The fingerprint stands for the file and for all that the plan has read: gantry config apply --plan refuses if any of it has changed since.",
  ],
  words: fileWord,
  options: {
    ...configOptions,
    out: {
      kind: "text",
      value: "FILE",
      help: "Write the plan as JSON to a file, for gantry config apply --plan",
    },
  },
  examples: ["config plan", "config plan gantry.toml --prune", "config plan --out plan.json"],
  run: withSession(async (session, { words, options }) => {
    const outcome = await showPlan(session, words.file, options);
    if (outcome.ok || exitOf(outcome.problem) !== "usage") return outcome;
    session.output.problem(outcome.problem, exitCodes.failed.code);
    return { ok: true, exit: "failed" };
  }),
});

type Given = { readonly prune: boolean; readonly secrets: boolean; readonly out: string | null };

async function showPlan(session: Session, file: string | null, options: Given): Promise<Outcome> {
  // Loaded only now, because other commands need neither TOML nor all schemas.
  const { DEFAULT_FILE, preparePlan } = await import("#cli/configuration/prepare-plan.ts");
  const { unsetSources } = await import("#cli/configuration/run-plan.ts");
  const { planDocument, printPlan } = await import("#cli/views/plan-text.ts");
  const prepared = await preparePlan(session, file ?? DEFAULT_FILE, options);
  if (!prepared.ok) return prepared;
  const { plan, fingerprint } = prepared.value;
  const unset = unsetSources(plan.steps, session.environment);
  const document = { ...planDocument(plan, fingerprint), unset };
  if (options.out !== null) {
    const { writeOutput } = await import("#cli/configuration/write-output.ts");
    const text = `${JSON.stringify(document, null, 2)}\n`;
    // It has the plain variables of the projects.
    const written = await writeOutput(session, options.out, text, 0o600);
    if (!written.ok) return written;
  }
  session.output.json(document);
  printPlan(session.output, plan);
  if (unset.length > 0)
    session.output.line(
      `gantry config apply needs environment variables that are not set here: ${unset.join(", ")}.`,
    );
  session.output.line(`Fingerprint: ${fingerprint}`);
  return plan.steps.length === 0 ? done : { ok: true, exit: HAS_CHANGES };
}
