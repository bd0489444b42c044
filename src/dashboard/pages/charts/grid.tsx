import { ticksUpTo } from "#dashboard/pages/charts/ticks.ts";

/** The distances around the plot, in pixels: for the labels of the axes. */
const LEFT = 56;
const RIGHT = 8;
const TOP = 12;
const BOTTOM = 24;
const HEIGHT = 220;
/** The least distance between the labels of two days. */
const DAY_LABEL_WIDTH = 72;

/** Where values and days are in a chart, in pixels. `ticks`: the values of the grid's lines, from 0. */
export type Scale = {
  readonly height: number;
  readonly ticks: readonly number[];
  readonly y: (value: number) => number;
  /** @param day 0 is the start of the first day, and `days` the end of the last one */
  readonly x: (day: number) => number;
};

export function scaleOf(width: number, days: number, most: number, smallest: number): Scale {
  const ticks = ticksUpTo(most, smallest);
  const top = ticks.at(-1) ?? 1;
  return {
    height: HEIGHT,
    ticks,
    y: (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM),
    x: (day) => LEFT + (day / days) * (width - LEFT - RIGHT),
  };
}

type Props = {
  readonly scale: Scale;
  readonly width: number;
  /** The first moment of each day, in order. */
  readonly days: readonly Date[];
  readonly labelOf: (value: number) => string;
};

/** The grid of a chart, with a label for each line and the dates below. */
export function Grid({ scale, width, days, labelOf }: Props) {
  const { height, ticks, x, y } = scale;
  const every = Math.max(1, Math.ceil(DAY_LABEL_WIDTH / (x(1) - x(0))));
  return (
    <g aria-hidden="true">
      {ticks.map((value) => (
        <g key={value}>
          <line class={value === 0 ? "axis" : ""} x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
          <text class="end" x={LEFT - 8} y={y(value) + 4}>
            {labelOf(value)}
          </text>
        </g>
      ))}
      {days.map((day, at) =>
        // Counted from today, which always has a label.
        (days.length - 1 - at) % every === 0 ? (
          <text key={day.getTime()} class="middle" x={x(at + 0.5)} y={height - 6}>
            {at === days.length - 1 ? "today" : dayText(day)}
          </text>
        ) : null,
      )}
    </g>
  );
}

/** The first moments of the last days in the browser's time zone, today last. */
export function lastDays(count: number): readonly Date[] {
  const today = new Date();
  return Array.from(
    { length: count },
    (_, at) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - at)),
  );
}

export function dayText(date: Date): string {
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
