import type { Weekday } from "#contract/endpoints/freezes/freeze-times.ts";

/** What the form for a new freeze holds. Only the fields of its type are sent. */
export type FreezeDraft = {
  readonly name: string;
  /** Empty: all projects. */
  readonly project_id: string;
  readonly type: "once" | "weekly";
  /** In the browser's time zone, such as `2026-12-24 16:00`. */
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

/** null, which is refused, for anything but a time as in the example. */
function instantOf(local: string): string | null {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$/.exec(local.trim()) ?? [];
  const ms = Date.parse(`${date}T${time}`);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
