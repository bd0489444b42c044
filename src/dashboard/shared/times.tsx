import { durationText } from "#contract/lib/duration-text.ts";
import { useNow } from "#dashboard/data/clock.ts";
import { agoText, dateText } from "#dashboard/text/times.ts";

/** The time since or until a date, with the full date as a tooltip. */
export function Ago({ time }: { readonly time: string }) {
  const now = useNow();
  return (
    <time dateTime={time} title={dateText(time)}>
      {agoText(time, now)}
    </time>
  );
}

/** When something happens next. A time that has passed is `now`, because it has not happened yet. */
export function NextAt({ time }: { readonly time: string }) {
  const now = useNow();
  return Date.parse(time) <= now ? <>now</> : <Ago time={time} />;
}

const HOUR_MS = 60 * 60 * 1000;

/** A time that is written once an hour, so that it can be up to an hour before the last one. */
export function AgoByHour({ time }: { readonly time: string }) {
  const now = useNow();
  return now - Date.parse(time) < HOUR_MS ? <>within the last hour</> : <Ago time={time} />;
}

type DurationProps = {
  /** In seconds, when the data was read. */
  readonly seconds: number;
  /** When it started, if it is still running; else null. */
  readonly runningSince: string | null;
};

/** A duration. It grows while the deployment runs. */
export function Duration({ seconds, runningSince }: DurationProps) {
  return <>{runningSince === null ? durationText(seconds) : <RunningDuration since={runningSince} />}</>;
}

function RunningDuration({ since }: { readonly since: string }) {
  const now = useNow();
  return <>{durationText(Math.max(0, (now - Date.parse(since)) / 1000))}</>;
}
