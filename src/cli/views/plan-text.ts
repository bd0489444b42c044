import { pathOf, SECRET, sourcesIn } from "#cli/configuration/item.ts";
import type { Json } from "#cli/configuration/json.ts";
import { rulesOf } from "#cli/configuration/kind-rules.ts";
import type { Change, Extra, Plan, Step } from "#cli/configuration/plan.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";

const MAX_VALUE = 120;

const signs = { create: "+", update: "~", delete: "-" } as const;
const colours = { create: "green", update: "yellow", delete: "red" } as const;
const done = { create: "created", update: "changed", delete: "deleted" } as const;

/** Prints what would change, each thing with its fields. */
export function printPlan(output: Output, plan: Plan): void {
  const { style } = output;
  for (const step of plan.steps) {
    const colour = style[colours[step.act]];
    output.line(colour(`${signs[step.act]} ${placeOf(step)}`));
    for (const change of step.changes.filter((one) => isShown(step, one)))
      output.line(`    ${style.dim(`${printableName(pathText(change.path))}:`)} ${changeText(step, change)}`);
  }
  for (const extra of plan.extras)
    output.line(style.dim(`  ${extraPath(extra)} is not in the file, and stays`));
  for (const item of plan.missing)
    output.line(
      style.dim(
        `  ${printableName(pathText(pathOf(item)))} is no member yet: gantry members invite invites people`,
      ),
    );
  for (const notice of plan.notices) output.line(style.yellow(`! ${printable(notice)}`));
  if (plan.steps.length > 0 || plan.extras.length > 0 || plan.notices.length > 0) output.line();
  output.line(summaryOf(plan));
}

/** What is created has many defaults. The file does not have them. */
function isShown({ act, item }: Step, { path: [name = ""] }: Change): boolean {
  return act !== "create" || item.given.includes(name);
}

/** The line of a step that was carried out. */
export function doneText({ style }: Output, step: Step): string {
  const text = `${done[step.act]} ${placeOf(step)}`;
  return style[colours[step.act]](text);
}

/** The plan for programs. Values from the environment, and values that look like secrets, are not in it. */
export function planDocument(plan: Plan, fingerprint: string): object {
  return {
    fingerprint,
    changes: plan.steps.map((step) => ({
      ...stepDocument(step),
      fields: step.changes.map(({ path, before, after, isHidden, servers }) => ({
        path: pathText(path),
        before: before === undefined || isHidden ? null : before,
        after: after === undefined || isHidden ? null : after,
        hidden: isHidden,
        ...(servers.length === 0 ? {} : { not_sealed_for: servers }),
      })),
    })),
    not_in_file: plan.extras.map(({ item, path }) => pathText([...pathOf(item), ...path])),
    missing: plan.missing.map((item) => pathText(pathOf(item))),
    unchanged: plan.unchanged,
    notices: plan.notices,
  };
}

/** A step for programs, without its fields. */
export function stepDocument({ act, item }: Step): object {
  return { act, kind: item.kind, name: item.name, path: pathText(pathOf(item)) };
}

/** The question before a plan is carried out. */
export function confirmText({ steps }: Plan): string {
  const deletions = steps.filter(({ act }) => act === "delete").length;
  const deleted = deletions === 1 ? "1 thing is deleted. " : `${deletions} things are deleted. `;
  return `${deletions === 0 ? "" : deleted}Apply these changes?`;
}

function placeOf({ item }: Pick<Step, "item">): string {
  return printableName(pathText(pathOf(item)));
}

function extraPath({ item, path }: Extra): string {
  return printableName(pathText([...pathOf(item), ...path]));
}

function changeText(step: Step, { path, before, after, isHidden, servers }: Change): string {
  const sources = sourcesIn(step.item.sources, path);
  const target = servers.length === 0 ? "" : `, for ${servers.map((name) => printableName(name)).join(", ")}`;
  if (isHidden && sources.length > 0) return `from ${[...new Set(sources)].join(", ")}${target}`;
  const isAutomatic = path.length === 1 && rulesOf(step.item.kind).automatic.includes(path[0] ?? "");
  const none = isAutomatic ? "automatic" : "none";
  const shown = (value: Json | undefined) =>
    isHidden && value !== undefined ? "(looks like a secret)" : valueText(value, none);
  return step.act === "create" || before === undefined
    ? `${before === undefined && step.act === "update" ? `${none} → ` : ""}${shown(after)}`
    : `${shown(before)} → ${shown(after)}`;
}

function valueText(value: Json | undefined, none: string): string {
  if (value === undefined) return none;
  if (value === null) return "none";
  const text = value === SECRET ? SECRET : printable(JSON.stringify(value));
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}

function summaryOf({ steps, extras, missing }: Plan): string {
  const count = (act: Step["act"]) => steps.filter((step) => step.act === act).length;
  const parts = [
    ["create", "to create"] as const,
    ["update", "to change"] as const,
    ["delete", "to delete"] as const,
  ].flatMap(([act, text]) => (count(act) === 0 ? [] : [`${count(act)} ${text}`]));
  const changes = parts.length === 0 ? "Nothing to change." : `${parts.join(", ")}.`;
  const stays =
    extras.length === 0
      ? ""
      : ` ${extras.length} not in the file: --prune deletes ${extras.length === 1 ? "it" : "them"}.`;
  const people =
    missing.length === 0
      ? ""
      : ` ${missing.length} ${missing.length === 1 ? "person is" : "people are"} no member yet.`;
  return `${changes}${stays}${people}`;
}
