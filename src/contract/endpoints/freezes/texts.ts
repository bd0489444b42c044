import { FreezeTimes, Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import * as schemas from "#contract/endpoints/freezes/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const weekend = {
  type: "weekly",
  days: ["friday"],
  from: "16:00",
  to: "00:00",
  timezone: "Europe/Berlin",
} as const;

const freeze = {
  id: example.freeze,
  name: "Friday evening",
  project_id: null,
  times: weekend,
  active: false,
  window: { from: "2026-11-20T15:00:00.000Z", until: "2026-11-20T23:00:00.000Z" },
  created_at: "2026-11-02T08:12:40.018Z",
  created_by: { type: "token", id: example.token, name: "Ada" },
} as const;

const holidays = {
  type: "once",
  from: "2026-12-23T17:00:00.000Z",
  to: "2027-01-04T07:00:00.000Z",
} as const;

export const freezeTexts = {
  listFreezes: {
    summary: "List freezes, newest first",
    description: prose`
      Returns the freezes of the account and of its projects, newest first. A token that is limited to projects sees the
      freezes of these projects only; freezes of the whole account hold them too. Without \`limit\`, the response
      contains all: an account can have 100 freezes.`,
    answer: { freezes: [freeze], next_cursor: null },
  },
  createFreeze: {
    summary: "Create a freeze",
    description: prose`
      Creates a freeze: a time in which deployments wait. It holds all projects of the account, or one if you send
      \`project_id\`. In that time, the first deployment in a project's queue is not offered to its server, and the
      others stay behind it. After the freeze they run in their order; none is dropped. Deployments that run when the
      freeze begins continue. A rollback is not held, and passes deployments that are.

      A token that is limited to projects must send a \`project_id\` (403).`,
    body: { name: freeze.name, times: weekend },
    answer: freeze,
    location: `/v1/freezes/${example.freeze}`,
  },
  getFreeze: {
    summary: "Get a freeze",
    description: prose`
      Returns one freeze, with the time in which it holds now or will hold next.`,
    answer: freeze,
  },
  updateFreeze: {
    summary: "Change a freeze",
    description: prose`
      Changes the name or the times of a freeze. Omitted fields keep their values; \`times\` is replaced as a whole.
      Deployments that wait are checked again before the response: a change can release them at once.`,
    body: { name: "Holidays", times: holidays },
    answer: {
      ...freeze,
      name: "Holidays",
      times: holidays,
      window: { from: holidays.from, until: holidays.to },
    },
  },
  deleteFreeze: {
    summary: "Delete a freeze",
    description: prose`
      Deletes a freeze. Deployments that waited only for it continue.`,
  },
} as const satisfies Partial<OperationTexts>;

const inputFields = {
  name: "A name for people, on one line.",
  times: "When the freeze holds.",
};

export const freezeSchemas = {
  Weekday: choice(Weekday, "A day of the week.", {
    monday: "Monday",
    tuesday: "Tuesday",
    wednesday: "Wednesday",
    thursday: "Thursday",
    friday: "Friday",
    saturday: "Saturday",
    sunday: "Sunday",
  }),
  FreezeTimes: object(
    FreezeTimes,
    "When a freeze holds: `once`, from one instant until another, or `weekly`, on some days of each week.",
    {
      type: "`once` or `weekly`.",
      from: "`once`: an instant with its offset, such as `2026-12-23T18:00:00+01:00`. `weekly`: the time of day at which it begins, such as `16:00`.",
      to: "When it ends, in the same form. A weekly time that is not after `from` is on the next day.",
      days: "The days on which it begins.",
      timezone:
        "The time zone of the weekly times, from the IANA database, such as `Europe/Berlin`. The freeze follows its clock changes.",
    },
  ),
  CreateFreezeInput: object(schemas.CreateFreezeInput, "The freeze to create.", {
    ...inputFields,
    project_id: "The id of the project that it holds. `null`: all projects of the account. Default: `null`.",
  }),
  UpdateFreezeInput: object(
    schemas.UpdateFreezeInput,
    "The fields to change. Omitted fields keep their values.",
    inputFields,
  ),
  FreezeWindow: object(schemas.FreezeWindow, "A time in which a freeze holds.", {
    from: "When it begins.",
    until: "When it ends.",
  }),
  Freeze: object(schemas.Freeze, "A time in which deployments wait.", {
    ...inputFields,
    id: "The freeze's id.",
    project_id: "The id of the project that it holds. `null`: all projects of the account.",
    active: "Whether it holds now.",
    window:
      "The time in which it holds now, or will hold next. `null`: it is over. A weekly freeze that never ends is shown until five weeks from now.",
    created_at: "When the freeze was created.",
    created_by: "Who created it. `null`: not known, because an older version of Gantry has stored it.",
  }),
  FreezeRows: object(schemas.FreezeRows, "A page of freezes.", {
    freezes: "The freezes of this page, newest first.",
    next_cursor: nextCursor,
  }),
} satisfies Record<string, SchemaText>;
