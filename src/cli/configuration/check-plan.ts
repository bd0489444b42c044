import * as z from "zod/mini";

import type { Plan } from "#cli/configuration/plan.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { readText } from "#cli/variables/read-text.ts";
import { planDocument } from "#cli/views/plan-text.ts";
import { succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";

const FINGERPRINT = /^[0-9a-f]{32}$/;

/** What `gantry config plan --out` writes. */
const WrittenPlan = z.object({
  fingerprint: z.string(),
  changes: z.array(z.looseObject({ path: z.string() })),
});
type WrittenPlan = z.infer<typeof WrittenPlan>;

/** Refuses a plan that is no longer what would happen. @param given the value of --plan */
export async function checkPlan(
  session: Session,
  given: string | null,
  { plan, fingerprint }: { readonly plan: Plan; readonly fingerprint: string },
): Promise<Result<null>> {
  if (given === null) return succeed(null);
  if (FINGERPRINT.test(given)) return given === fingerprint ? succeed(null) : refused(fingerprint, []);
  const text = await readText(session, given);
  if (!text.ok) return text;
  const written = WrittenPlan.safeParse(parseJson(text.value));
  if (!written.success) return stop("invalid_file", `${given} is no plan of gantry config plan --out.`);
  // Without what JSON does not have.
  const now = WrittenPlan.parse(parseJson(JSON.stringify(planDocument(plan, fingerprint))));
  const places = differences(written.data, now);
  if (written.data.fingerprint !== fingerprint) return refused(fingerprint, places);
  return places.length === 0
    ? succeed(null)
    : stop(
        "invalid_file",
        `${given} was edited at ${places.join(", ")}, so nothing was applied. Edit the configuration, and make another plan.`,
      );
}

function refused(fingerprint: string, places: readonly string[]): Result<null> {
  const what = places.length === 0 ? "" : ` The plan differs at ${places.join(", ")}.`;
  return stop(
    "changed_since_plan",
    `The file, the installation or the options --prune and --secrets are not as they were for the plan, so nothing was applied.${what} Make another plan; its fingerprint is ${fingerprint}.`,
  );
}

function differences(before: WrittenPlan, after: WrittenPlan): string[] {
  const textsOf = ({ changes }: WrittenPlan) =>
    new Map(changes.map((change) => [JSON.stringify(change), change.path]));
  const [old, now] = [textsOf(before), textsOf(after)];
  const only = (one: Map<string, string>, other: Map<string, string>) =>
    [...one].flatMap(([text, path]) => (other.has(text) ? [] : [path]));
  return [...new Set([...only(old, now), ...only(now, old)])];
}
