import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The times at which a job runs: the sets of its five fields. Weekdays are 0 (Sunday) to 6. */
export type Schedule = {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** A day matches if its day of the month or its weekday does. Otherwise both must. Source: crontab(5). */
  readonly isEitherDay: boolean;
  /** Whether the schedule names hours. Then it runs once when the clock changes, otherwise at its intervals. */
  readonly hasFixedHours: boolean;
};

type Field = {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The names of its values, from the least. */
  readonly names?: readonly string[];
};

const fields = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { name: "day of the week", least: 0, most: 7, names: "sun mon tue wed thu fri sat".split(" ") },
] as const satisfies readonly Field[];

const shorthands: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** The most days of each month. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type Parsed<Value> = ResultOf<Value, { readonly reason: string }>;

/** Reads the five fields of crontab(5), or a shorthand such as `@daily`. `reason`: what is wrong, after "The schedule …". */
export function parseSchedule(text: string): Parsed<Schedule> {
  const words = (shorthands.get(text.trim().toLowerCase()) ?? text).trim().split(/\s+/);
  if (words.length !== fields.length)
    return wrong("must have five fields: minute, hour, day of the month, month and day of the week");
  const sets: Set<number>[] = [];
  for (const [at, field] of fields.entries()) {
    const set = parseField(words[at] ?? "", field);
    if (!set.ok) return set;
    sets.push(set.value);
  }
  const [minutes, hours, days, months, sevenDays] = sets;
  if (!minutes || !hours || !days || !months || !sevenDays) return wrong("must have five fields");
  const [, hour = "", day = "", , weekday = ""] = words;
  const hasAnyDay = day.startsWith("*");
  const hasAnyWeekday = weekday.startsWith("*");
  const weekdays = new Set([...sevenDays].map((value) => value % 7));
  const happens = [...months].some((month) => Math.min(...days) <= (monthDays[month - 1] ?? 0));
  if (hasAnyWeekday && !happens) return wrong("never happens: no month in it has such a day");
  return succeed({
    ...{ minutes, hours, days, months, weekdays },
    isEitherDay: !hasAnyDay && !hasAnyWeekday,
    hasFixedHours: !hour.startsWith("*") && hours.size < 24,
  });
}

/** Reads a list of `*`, `5`, `1-5`, each with or without a step such as in `1-5/2`. */
function parseField(word: string, field: Field): Parsed<Set<number>> {
  const values = new Set<number>();
  for (const part of word.toLowerCase().split(",")) {
    const [, first = "", last, stepText] = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const isAny = first === "*";
    const start = isAny ? field.least : valueOf(first, field);
    let end = isAny ? field.most : last === undefined ? start : valueOf(last, field);
    // A week may end with Sunday: fri-sun.
    if (end === 0 && last === "sun" && start !== null && start > 0) end = 7;
    const step = stepText === undefined ? 1 : Number(stepText);
    const canStep = stepText === undefined || isAny || last !== undefined;
    if (
      start === null ||
      end === null ||
      !canStep ||
      (isAny && last !== undefined) ||
      step < 1 ||
      end < start
    )
      return wrong(
        `has the ${field.name} ${part.slice(0, 20)}, which is not ${field.least} to ${field.most}, a range such as ${field.least}-${field.least + 4}, * or */2`,
      );
    for (let value = start; value <= end; value += step) values.add(value);
  }
  return succeed(values);
}

function valueOf(text: string, { least, most, names = [] }: Field): number | null {
  const named = names.indexOf(text);
  const value = named >= 0 ? named + least : /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= least && value <= most ? value : null;
}

function wrong(reason: string) {
  return { ok: false, reason } as const;
}
