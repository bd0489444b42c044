import type { Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import {
  CreateFreezeInput,
  type Freeze,
  type UpdateFreezeInput,
} from "#contract/endpoints/freezes/schemas.ts";
import { readForm, type ReadForm } from "#dashboard/text/field-errors.ts";

/** What the form for a freeze holds. Only the fields of its type are sent. */
export type FreezeDraft = {
  readonly name: string;
  /** Empty: all projects. */
  readonly project_id: string;
  readonly type: "once" | "weekly";
  /** In the browser's time zone, such as `2026-12-24T16:00`. */
  readonly onceFrom: string;
  readonly onceTo: string;
  readonly days: readonly Weekday[];
  /** A time of day. */
  readonly weeklyFrom: string;
  readonly weeklyTo: string;
  readonly timezone: string;
};

/** @param timezone the browser's */
export function newFreeze(timezone: string): FreezeDraft {
  return {
    name: "",
    project_id: "",
    type: "once",
    onceFrom: "",
    onceTo: "",
    days: ["friday"],
    weeklyFrom: "16:00",
    weeklyTo: "08:00",
    timezone,
  };
}

/** The draft for changes of a freeze. @param timezone the browser's */
export function draftOfFreeze({ name, project_id: id, times }: Freeze, timezone: string): FreezeDraft {
  const draft = { ...newFreeze(timezone), name, project_id: id ?? "", type: times.type };
  switch (times.type) {
    case "once":
      return { ...draft, onceFrom: localTime(times.from), onceTo: localTime(times.to) };
    case "weekly": {
      const { days, from, to, timezone: zone } = times;
      return { ...draft, days, weeklyFrom: from, weeklyTo: to, timezone: zone };
    }
  }
}

/** What differs between two drafts. An unchanged instant keeps its seconds. @param input the second draft as input */
export function freezeChanges(
  before: FreezeDraft,
  after: FreezeDraft,
  { name, times }: CreateFreezeInput,
): UpdateFreezeInput {
  const isSame = JSON.stringify(timesOf(before)) === JSON.stringify(timesOf(after));
  return { ...(name === before.name ? {} : { name }), ...(isSame ? {} : { times }) };
}

/** The body of the request that creates the freeze, not validated yet. */
export function freezeInput(draft: FreezeDraft): Record<string, unknown> {
  const { name, project_id: id } = draft;
  return { name: name.trim(), project_id: id === "" ? null : id, times: timesOf(draft) };
}

function timesOf(draft: FreezeDraft): Record<string, unknown> {
  switch (draft.type) {
    case "once":
      return { type: "once", from: instantOf(draft.onceFrom), to: instantOf(draft.onceTo) };
    case "weekly":
      return {
        type: "weekly",
        days: draft.days,
        from: draft.weeklyFrom.trim(),
        to: draft.weeklyTo.trim(),
        timezone: draft.timezone.trim(),
      };
  }
}

/** An instant as the form shows it, in the browser's time zone. */
function localTime(instant: string): string {
  const time = new Date(instant);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** null, which is refused, for anything but a date with a time of day. */
function instantOf(local: string): string | null {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? Date.parse(local) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** The body of the request that creates the freeze, or the errors of the form, by the path of each field. */
export function readFreeze(draft: FreezeDraft): ReadForm<CreateFreezeInput> {
  const form = readForm(CreateFreezeInput, freezeInput(draft));
  if (form.ok)
    return endsTooEarly(form.value) ? { ok: false, errors: { "times.to": "Must be after From." } } : form;
  const errors = { ...form.errors };
  if (draft.type === "once")
    for (const path of ["times.from", "times.to"])
      if (errors[path] !== undefined) errors[path] = "Choose a date and a time.";
  return { ok: false, errors };
}

function endsTooEarly({ times }: CreateFreezeInput): boolean {
  return times.type === "once" && Date.parse(times.to) <= Date.parse(times.from);
}
