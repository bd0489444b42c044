import { MAX_UPTIME_DAYS, type UptimeDay } from "#contract/endpoints/servers/schemas.ts";

const DAY_MS = 86_400_000;

/**
 * How many milliseconds an agent was connected on each UTC day (days since 1970). Contains only ended connections, of at
 * most the last 30 days.
 */
export type ConnectedMsByDay = Readonly<Record<string, number>>;

/** Adds an ended connection, split at each midnight, and drops the days before the window. */
export function recordConnection(
  connectedMsByDay: ConnectedMsByDay,
  fromMs: number,
  toMs: number,
): Record<string, number> {
  const firstDay = firstDayOfWindow(toMs);
  const days = Object.entries(connectedMsByDay).filter(([day]) => Number(day) >= firstDay);
  const byDay = new Map(days);
  for (let start = Math.max(fromMs, firstDay * DAY_MS); start < toMs; start = nextMidnight(start)) {
    const day = String(dayOf(start));
    const connectedMs = (byDay.get(day) ?? 0) + Math.min(toMs, nextMidnight(start)) - start;
    // Connections overlap if the clock was set back.
    byDay.set(day, Math.min(DAY_MS, connectedMs));
  }
  return Object.fromEntries(byDay);
}

/**
 * The share of the last 30 UTC days, including today, or of the time since the first connection, in which the agent was
 * connected.
 * @param connectedAt the start of the current connection (Unix milliseconds, as all times here); null: not connected
 * @param since when the agent connected for the first time; null: never, which is "0.00%"
 * @returns a percentage with two decimals, rounded down, so that "100.00%" means no interruption at all
 */
export function uptime(
  connectedMsByDay: ConnectedMsByDay,
  connectedAt: number | null,
  since: number | null,
  now: number,
): string {
  if (since === null) return percentage(0, 1);
  const firstDay = firstDayOfWindow(now);
  const from = Math.max(since, firstDay * DAY_MS);
  const ended = Object.entries(connectedMsByDay)
    .filter(([day]) => Number(day) >= firstDay && Number(day) <= dayOf(now))
    .reduce((total, [, connectedMs]) => total + connectedMs, 0);
  const present = connectedAt === null ? 0 : Math.max(0, now - Math.max(connectedAt, from));
  // At the instant of the first connection no time has passed, so the result depends on the connection alone.
  if (now <= from) return percentage(connectedAt === null ? 0 : 1, 1);
  return percentage(ended + present, now - from);
}

/**
 * The uptime of each of the last 30 UTC days, including today, oldest first. The day of the first connection counts
 * from it on, and today counts until now. The parameters are the same as for `uptime`.
 */
export function uptimeByDay(
  connectedMsByDay: ConnectedMsByDay,
  connectedAt: number | null,
  since: number | null,
  now: number,
): UptimeDay[] {
  if (since === null) return [];
  const from = Math.max(since, firstDayOfWindow(now) * DAY_MS);
  const days = Array.from({ length: Math.max(0, dayOf(now) - dayOf(from) + 1) }, (_, at) => dayOf(from) + at);
  return days.map((day) => {
    const start = Math.max(from, day * DAY_MS);
    const end = Math.min(now, nextMidnight(start));
    const present = connectedAt === null ? 0 : Math.max(0, end - Math.max(connectedAt, start));
    const part = end <= start ? Number(connectedAt !== null) : (connectedMsByDay[String(day)] ?? 0) + present;
    return { date: dateOf(day), uptime: percentage(part, Math.max(1, end - start)) };
  });
}

function percentage(part: number, whole: number): string {
  const hundredths = Math.min(10_000, Math.floor((part * 10_000) / whole));
  return `${(hundredths / 100).toFixed(2)}%`;
}

const dayOf = (time: number) => Math.floor(time / DAY_MS);
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const nextMidnight = (time: number) => (dayOf(time) + 1) * DAY_MS;
const firstDayOfWindow = (now: number) => dayOf(now) - MAX_UPTIME_DAYS + 1;
